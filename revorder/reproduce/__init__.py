"""The paper's tables and figures: one file for each experiment."""

from __future__ import annotations

from revorder.reproduce.ablation import ABLATION
from revorder.reproduce.compact import COMPACT
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.figure2 import FIGURE2
from revorder.reproduce.figure4 import FIGURE4
from revorder.reproduce.figure5 import FIGURE5
from revorder.reproduce.figure6 import FIGURE6
from revorder.reproduce.frontier import FRONTIER
from revorder.reproduce.gsm8k_samples import FIGURES7_8
from revorder.reproduce.pretrained import PRETRAINED
from revorder.reproduce.table1 import TABLE1
from revorder.reproduce.table2 import TABLE2
from revorder.reproduce.table2_tokens import TABLE2_TOKENS
from revorder.reproduce.table3 import TABLE3
from revorder.reproduce.tool_cost import TOOL_COST
from revorder.reproduce.worked_examples import WORKED_EXAMPLES

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        WORKED_EXAMPLES,
        TABLE1,
        COMPACT,
        TABLE2,
        TABLE2_TOKENS,
        FIGURE2,
        FIGURE4,
        FIGURE5,
        FIGURE6,
        FRONTIER,
        TOOL_COST,
        PRETRAINED,
        TABLE3,
        FIGURES7_8,
        ABLATION,
    )
}
