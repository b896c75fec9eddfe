"""Names of departments and branches, which label the telephone numbers after them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from focuscrawl.templates.extraction.lines.label_scopes import Row, Scope

_NAMES = (
    r"(?:[室处部科股办台院店区县厂站]|中心|窗口|公司|老师|经理|先生|女士|小姐|主任|咨询|客服|服务|投诉|预订|预约|订[座餐房票货购]|外卖"
    r"|报名|挂号|销售|售后|直线|值班|急诊|门诊|门市|总机|零售|批发|加盟)"
)
_LABEL = re.compile(rf"{_NAMES}\s*[:)】]+$")
_CELL = re.compile(rf"[\u4e00-\u9fff ]{{0,12}}{_NAMES}$")
_LOCAL_NUMBER = re.compile(r"[2-9]\d{2,3}[- ]?\d{4}(?:\s*[,、/]\s*[2-9]\d{2,3}[- ]?\d{4})*")


def is_of_department(rows: Sequence[Row], at: int, scope: Scope) -> bool:
    """Return whether a telephone number is likely in a scope of row ``at``: 教务处：88001234.

    Without a label, it is if the row is a table cell of local numbers only, next to a department's.
    """
    row = rows[at]
    if scope.label is not None:
        return bool(_LABEL.search(row.text[scope.label.start : scope.label.end]))
    if at == 0 or not _LOCAL_NUMBER.fullmatch(row.text.strip()):
        return False
    cell, before = row.line.block.cell, rows[at - 1].line.block.cell
    if cell is None or before is None or (cell.table, cell.row) != (before.table, before.row):
        return False
    return cell.column == before.column + 1 and bool(_CELL.fullmatch(rows[at - 1].text.strip()))
