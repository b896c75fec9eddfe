// Draws the charts of a page with ECharts from the data block that each names, and follows its points.
(() => {
  "use strict";
  const STRIP = 14;
  const CAUSES = ["flagged", "incomplete", "unquoted", "unpublished", "down", "uncrawled", "unknown"];
  const shown = new Map();

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const palette = () => ["main", "second", "third", "fourth", "fifth", "sixth"].map((name) => colour(`chart-${name}`));
  const number = (value, digits) => value.toLocaleString("en", { maximumFractionDigits: digits });

  // Every value has a symbol, however many there are; days without one are joined by a thin line.
  function lineOf(line, index, colours) {
    const isMain = line.role === "main", isFirm = line.role === "firm", isYear = line.role === "year";
    const own = isFirm ? colour("chart-dim") : colours[index % colours.length];
    const width = isMain || line.role === "entity" ? 2.5 : isFirm ? 1 : 1.6;
    const known = line.values.filter((value) => value !== null).length;
    const styles = ["solid", "dashed", "dotted", [8, 3, 2, 3]];
    const type = isYear ? styles[1 + (index % 3)] : line.role === "compared" ? styles[Math.floor(index / colours.length) % 4] : "solid";
    const shared = { type: "line", data: line.values, color: own, z: isFirm ? 2 : 4, animation: false };
    const drawn = {
      ...shared, name: line.name, id: line.name, connectNulls: false, showSymbol: true, showAllSymbol: true,
      symbol: "circle", symbolSize: isFirm ? 2 : known < 62 ? 5 : width + 1,
      lineStyle: { width, type, opacity: isFirm ? 0.5 : 1 }, itemStyle: { opacity: isFirm ? 0.5 : 1 },
      triggerLineEvent: true, emphasis: { focus: "series", lineStyle: { width: width + 1.5, opacity: 1 } },
      endLabel: { show: line.role === "compared", formatter: "{a}", color: own, fontSize: 14, distance: 6, width: 120, overflow: "truncate" },
    };
    const joint = { ...shared, name: "", connectNulls: true, symbol: "none", silent: true, emphasis: { disabled: true }, lineStyle: { width: isFirm ? 0.5 : 1, type: "dashed", opacity: 0.6 } };
    return [joint, drawn];
  }

  function bandOf(line, own) {
    const difference = line.upper.map((value, place) => value === null || line.lower[place] === null ? null : value - line.lower[place]);
    const shared = { type: "line", stack: line.name, symbol: "none", silent: true, animation: false, connectNulls: false, lineStyle: { opacity: 0 }, emphasis: { disabled: true } };
    return [
      { ...shared, name: "", data: line.lower, stackStrategy: "all", z: 1 },
      { ...shared, name: "", data: difference, stackStrategy: "all", z: 1, areaStyle: { color: own, opacity: 0.16 } },
    ];
  }

  function barsOf(line) {
    return {
      name: line.name, type: "bar", animation: false, silent: true,
      data: line.values.map((value) => ({ value, itemStyle: { color: value >= 0 ? colour("up") : colour("down") } })),
    };
  }

  function stripOf(chart) {
    return CAUSES.filter((cause) => chart.cause_names[cause]).map((cause) => ({
      name: "", type: "bar", stack: "causes", xAxisIndex: 1, yAxisIndex: 1, silent: true, animation: false, barCategoryGap: "0%",
      data: chart.causes.map((own) => (own === cause ? 1 : null)),
      itemStyle: { color: colour(`cause-${cause}`), decal: cause === "unknown" ? { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 3], rotation: 0.8, color: colour("ground") } : undefined },
    }));
  }

  // Of many lines, those of the hovered one and of the largest values.
  const MOST_NAMED = 24, MOST_ENDS = 16;
  function tooltipOf(chart) {
    const digits = chart.digits;
    return (found) => {
      const place = found[0].dataIndex;
      const parts = [chart.places[place]];
      const day = chart.lines.map((line) => line.days && line.days[place]).find(Boolean);
      if (day) parts[0] += `  ${day}`;
      const has = (line) => line.values[place] !== null && line.values[place] !== undefined;
      const named = chart.lines.filter((line) => has(line) && (line.role !== "firm" || line.name === chart.hovered));
      if (named.length > 2 && named[0].role === "compared") named.sort((a, b) => (b.name === chart.hovered) - (a.name === chart.hovered) || b.values[place] - a.values[place]);
      for (const line of named.slice(0, MOST_NAMED)) {
        const value = line.values[place];
        const band = line.lower && line.lower[place] !== line.upper[place] ? `  (${number(line.lower[place], digits)}–${number(line.upper[place], digits)})` : "";
        const sign = line.role === "bars" && value > 0 ? "+" : "";
        parts.push(`${line.name === chart.hovered ? "▸ " : ""}${line.name}  ${sign}${number(value, digits)}${band}`);
      }
      if (named.length > MOST_NAMED) parts.push(`… +${named.length - MOST_NAMED}`);
      const cause = chart.causes[place];
      if (cause) parts.push(`${chart.texts.missing}  ${chart.cause_names[cause]}`);
      return parts.join("\n");
    };
  }

  function optionOf(chart, width) {
    const colours = palette();
    const hasStrip = chart.causes.length > 0 && Object.keys(chart.cause_names).length > 0;
    const series = [];
    const named = chart.lines.filter((line) => line.role !== "firm" && line.role !== "bars");
    let index = 0;
    for (const line of chart.lines) {
      if (line.role === "bars") { series.push(barsOf(line)); continue; }
      const drawn = lineOf(line, line.role === "firm" ? 0 : index, colours);
      if (line.role !== "firm") index += 1;
      if (line.lower) series.push(...bandOf(line, drawn[1].color));
      series.push(...drawn);
    }
    // Of an invisible line, so that the axis reaches the levels.
    const levels = chart.levels, level = colour("up");
    if (levels.length) series.push({
      name: "", type: "line", silent: true, animation: false, symbol: "none", lineStyle: { opacity: 0 }, data: levels.map(([, value]) => [chart.places[0], value]),
      markLine: { silent: true, symbol: "none", lineStyle: { color: level, type: [4, 4] }, label: { position: "insideStartTop", color: level, fontSize: 13, formatter: "{b}" }, data: levels.map(([name, value]) => ({ name, yAxis: value })) },
    });
    const fontFamily = getComputedStyle(document.body).fontFamily;
    const text = { color: colour("dim"), fontSize: 15, fontFamily };
    const rule = { lineStyle: { color: colour("line") } };
    const left = width < 600 ? 48 : 64;
    const hasEnds = width >= 600 && named.length <= MOST_ENDS && named.some((line) => line.role === "compared"), right = hasEnds ? 140 : 16;
    for (const one of hasEnds ? [] : series) delete one.endLabel;
    if (chart.holidays && series.length) series[series.length - 1].markArea = { silent: true, itemStyle: { color: colour("line"), opacity: 0.45 }, label: { color: colour("dim"), fontSize: 12, position: "insideTop" }, data: chart.holidays.map(([from, to, name]) => [{ xAxis: from, name }, { xAxis: to }]) };
    const bottom = hasStrip ? 78 : 62;
    const axis = { type: "category", data: chart.places, boundaryGap: true, axisLine: rule, axisTick: { show: false } };
    const value = { type: "value", scale: chart.lines.every((line) => line.role !== "bars"), splitLine: rule, axisLabel: text };
    return {
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      animation: false, backgroundColor: "transparent", textStyle: { fontFamily },
      aria: { enabled: true, label: { enabled: true, description: chart.label }, decal: { show: false } },
      legend: named.length && !hasEnds ? { top: 0, left: 84, right, textStyle: { ...text, color: colour("ink") }, data: named.map((line) => line.name), itemWidth: 26, type: "scroll" } : undefined,
      grid: [{ left, right, top: 40, bottom }, ...(hasStrip ? [{ left, right, height: STRIP, bottom: bottom - 40 }] : [])],
      xAxis: [
        { ...axis, axisLabel: { ...text, hideOverlap: true, alignMinLabel: "left", showMinLabel: true } },
        ...(hasStrip ? [{ ...axis, gridIndex: 1, axisLabel: { show: false }, axisLine: { show: false } }] : []),
      ],
      yAxis: [
        { ...value, name: chart.unit, nameTextStyle: { ...text, align: "right", padding: [0, 8, 0, 0] }, nameGap: 16 },
        ...(hasStrip ? [{ type: "value", gridIndex: 1, max: 1, show: false }] : []),
      ],
      tooltip: {
        trigger: "axis", renderMode: "richText", confine: true, formatter: tooltipOf(chart), axisPointer: { type: "line", lineStyle: { color: colour("dim") } },
        backgroundColor: colour("raised"), borderColor: colour("line"), textStyle: { color: colour("ink"), fontSize: 15, fontFamily },
      },
      dataZoom: chart.places.length > 20 ? [
        { type: "slider", xAxisIndex: hasStrip ? [0, 1] : [0], height: 18, bottom: 6, left, right, brushSelect: false, showDetail: false, borderColor: colour("line"), fillerColor: colour("chart-zoom"), dataBackground: { lineStyle: { color: colour("dim") }, areaStyle: { opacity: 0 } }, selectedDataBackground: { lineStyle: { color: colour("dim") }, areaStyle: { opacity: 0 } }, moveHandleSize: 4 },
      ] : [],
      series: [...series, ...(hasStrip ? stripOf(chart) : [])],
    };
  }

  // Moves the names at the ends of the lines apart, which the build of ECharts with the common parts does not.
  function spreadEnds(chart, drawn) {
    const { startValue: first = 0, endValue: end = chart.places.length - 1 } = drawn.getOption().dataZoom?.[0] ?? {};
    const last = (line) => line.values.findLastIndex((value, place) => value !== null && place >= first && place <= end);
    const ends = chart.lines.filter((line) => line.role === "compared" && last(line) >= 0).map((line) => {
      const place = last(line), [, y] = drawn.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [place, line.values[place]]);
      return { id: line.name, y };
    }).sort((a, b) => a.y - b.y);
    let below = -Infinity;
    const series = ends.map(({ id, y }) => { below = Math.max(y, below + 16); return { id, endLabel: { offset: [0, below - y] } }; });
    if (ends.length <= MOST_ENDS && series.length) drawn.setOption({ series });
  }

  // The nearest line with a value on the clicked place; beyond some pixels, the chosen entity or the first line.
  function followed(chart, drawn, event) {
    const at = [event.offsetX, event.offsetY];
    if (!drawn.containPixel({ gridIndex: 0 }, at)) return "";
    const place = Math.round(drawn.convertFromPixel({ xAxisIndex: 0, yAxisIndex: 0 }, at)[0]);
    let best = null, distance = 24;
    for (const line of chart.lines) {
      const value = line.values[place];
      if (value === null || value === undefined || !line.link) continue;
      const [, y] = drawn.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [place, value]);
      const away = Math.abs(y - at[1]) + (line.role === "firm" ? 4 : line.role === "entity" ? -4 : 0);
      if (away < distance) [best, distance] = [line, away];
    }
    const known = chart.lines.filter((line) => line.link && line.values[place] !== null && line.values[place] !== undefined);
    best = best || known.find((line) => line.role === "entity") || known[0];
    if (!best) return "";
    const day = best.days ? best.days[place] : chart.places[place];
    return day ? best.link.replaceAll("{day}", day) : "";
  }

  function draw(frame) {
    const data = document.getElementById(frame.dataset.chart);
    if (!data || shown.has(frame)) return;
    const chart = JSON.parse(data.textContent);
    chart.digits = Math.max(...chart.lines.flatMap((line) => line.values).filter((value) => value !== null).map(Math.abs), 0) > 50 ? 1 : 4;
    frame.hidden = false;
    const drawn = echarts.init(frame, null, { renderer: "canvas" });
    drawn.setOption(optionOf(chart, frame.clientWidth));
    spreadEnds(chart, drawn);
    frame.setAttribute("role", "img");
    frame.setAttribute("aria-label", chart.label);
    drawn.on("datazoom", () => spreadEnds(chart, drawn));
    drawn.on("mouseover", (event) => { chart.hovered = event.seriesName; });
    drawn.on("mouseout", () => { chart.hovered = ""; });
    drawn.getZr().on("click", (event) => {
      const address = followed(chart, drawn, event);
      if (address) window.location.assign(address);
    });
    drawn.getZr().on("mousemove", (event) => {
      drawn.getZr().setCursorStyle(drawn.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]) ? "pointer" : "default");
    });
    shown.set(frame, { drawn, chart });
  }

  function drawAll() {
    for (const [frame, { drawn }] of shown) {
      if (!frame.isConnected) { drawn.dispose(); shown.delete(frame); }
    }
    document.querySelectorAll("[data-chart]").forEach(draw);
  }

  function redraw() {
    for (const [frame, { drawn, chart }] of shown) {
      drawn.resize();
      drawn.setOption(optionOf(chart, frame.clientWidth), { notMerge: true });
      spreadEnds(chart, drawn);
    }
  }

  let waiting = 0;
  window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 150); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  document.addEventListener("htmx:afterSettle", drawAll);
  document.addEventListener("htmx:historyRestore", drawAll);
  document.addEventListener("change", (event) => {
    const { form } = event.target;
    if (!form?.matches("form.choices")) return;
    // A choice of the province changes the cities: the old one is dropped.
    if (event.target.name === "province" && form.elements.city) form.elements.city.value = "";
    if (event.target.matches("select, .chip input")) form.requestSubmit();
  });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", drawAll); else drawAll();
})();
