// Chart of a run: harvest rate with its interval, what the links promised, and waiting URLs.
(() => {
  const place = document.getElementById("harvest-chart");
  if (!place || !window.echarts) return;
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let chart;
  const percent = (value) => (value == null ? "" : (100 * value).toFixed(1) + " %");

  const draw = (run) => {
    if (run.rates.length < 2) return;
    chart ??= echarts.init(place);
    const said = place.dataset;
    const minutes = (one) => one.seconds / 60;
    const line = (name, data, colour, more) => ({
      name, type: "line", data, showSymbol: false, color: colour, lineStyle: { width: 2 }, ...more,
    });
    const rates = (key) => run.rates.map((one) => [minutes(one), one[key]]);
    const band = { type: "line", showSymbol: false, stack: "interval", lineStyle: { opacity: 0 }, silent: true };
    const text = { color: ink("--dim"), fontSize: 14 };
    chart.resize();
    chart.setOption({
      animation: false,
      aria: { enabled: true, label: { description: said.label } },
      textStyle: { fontFamily: "inherit" },
      legend: { top: 0, textStyle: { color: ink("--ink"), fontSize: 14 }, data: [said.harvest, said.promised, said.waiting] },
      tooltip: { trigger: "axis", renderMode: "richText", valueFormatter: (value) => (value <= 1 ? percent(value) : value) },
      grid: { left: 60, right: 70, top: 40, bottom: 50 },
      xAxis: { type: "value", name: said.minutes, nameLocation: "middle", nameGap: 30, nameTextStyle: text, axisLabel: text, splitLine: { show: false } },
      yAxis: [
        { type: "value", min: 0, max: 1, axisLabel: { ...text, formatter: (value) => 100 * value + " %" }, splitLine: { lineStyle: { color: ink("--line") } } },
        { type: "value", axisLabel: text, splitLine: { show: false } },
      ],
      series: [
        { ...band, name: said.interval, data: rates("low"), tooltip: { show: false } },
        { ...band, name: said.interval, data: run.rates.map((one) => [minutes(one), one.high - one.low]), areaStyle: { color: ink("--accent"), opacity: 0.18 }, tooltip: { show: false } },
        line(said.harvest, rates("rate"), ink("--accent")),
        line(said.promised, rates("promised"), ink("--up"), { lineStyle: { type: "dashed", width: 2 } }),
        line(said.waiting, run.series.map((one) => [minutes(one), one.waiting]), ink("--dim"), { yAxisIndex: 1, lineStyle: { width: 1 } }),
      ],
    });
  };

  const load = async () => {
    const answer = await fetch(place.dataset.run).catch(() => null);
    if (answer?.ok) draw(await answer.json());
  };
  load();
  addEventListener("resize", () => chart?.resize());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", load);
  // The tables below have just been fetched again.
  document.body.addEventListener("htmx:afterSettle", load);
})();
