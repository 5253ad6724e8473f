"""A local page on Gradio: type an expression, and watch a model compute it, each step judged as it lands."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.reduction import DECIMALS
from revorder.errors import ProblemError, needs
from revorder.inference.solver import Calculator, Computed, Solution, load_runtime, reduced
from revorder.rendering.trace_html import HINT, beside, comparison, headline, picture

EXAMPLES = ["123456789+987654321", "[12+34]*2-100", "4567*89", "902/129", "1.5*2.25+10%"]
FRAME = 0.05  # seconds between two states of the page, at least
PACE = 0.06  # seconds a token where they come slowly enough to watch
MOST_COMPARED, MOST_DIGITS = 6, 20  # operations, and their digits, that every method writes
NOTES = {  # by what a solution's `by` says
    "nobody": "Nothing is to be computed.",
    "model": "Verified: each digit is the model's, and the judge passed every step.",
    "tool": "Verified: {others} of {steps} operations by Python's integers, since the model is not trained on them.",
    "repaired": "Verified: {others} of {steps} operations by Python's integers, since the judge rejected the model's work.",
}
_STYLE = """
.gradio-container { --accent: #2b4acb; width: 100%; max-width: 64rem !important; margin: 0 auto; }
.dark .gradio-container { --accent: #a3b8ff; }
.gradio-container .main { padding-top: 2.5rem; }
.gradio-container h1 { font-size: 1.75rem; letter-spacing: -0.02em; }
.revorder { color-scheme: light; }
.dark .revorder { color-scheme: dark; }
#expression { font-family: var(--font-mono); }
#expression input, #expression textarea { min-height: 3.25rem; padding: 0.75rem 1rem; font-size: 1.25rem; border-radius: 12px; }
#compute { border-radius: 12px; font-weight: 600; }
.block.choice { flex: 0 0 auto; width: auto; margin: 0; padding: 0; background: none; border: 0 !important; }
#work .html-container { padding: 0; }
#expression :focus-visible, #compute:focus-visible, .gradio-container input[type=checkbox]:focus-visible, .gallery button:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px;
}
.revorder .result { margin: 0.5rem 0 1.25rem; }
.revorder .result h2 { font-size: clamp(1.5rem, 6vw, 2.5rem); }
.revorder .result ~ .trace h2 { font-size: 1.125rem; }
.revorder .result + .trace:not(:has(~ .trace)) h2 { display: none; }
.revorder .result ~ .trace:has(.steps) .note.right { display: none; }
.revorder h2.every { margin: 2.5rem 0 1rem; font: 600 1.125rem/1.4 var(--sans); letter-spacing: 0; color: var(--ink); }
"""


def open_app(model: str | None = None, port: int | None = None, browser: bool = True) -> Any:
    """Serve the page on this machine alone; returns the running gradio.Blocks, which `close` ends.

    `model`: a checkpoint folder or a shipped model's name. `port`: a free one from 7860 on for None. Raises ProblemError
    where gradio is missing, the model can't be read, or the port is taken.
    """
    with needs("app", "app"):
        import gradio
    blocks = page(gradio, model)
    sans, mono = ("system-ui", "sans-serif"), ("ui-monospace", "monospace")
    theme = gradio.themes.Base(primary_hue="indigo", neutral_hue="stone", font=sans, font_mono=mono).set(
        body_background_fill="#f7f6f2",
        body_background_fill_dark="#161614",
        input_background_fill="#ffffff",
        input_background_fill_dark="#1f1f1c",
        input_border_width="1px",
        block_label_text_color="#66625a",
        block_label_text_color_dark="#a6a196",
        checkbox_background_color_selected="#2b4acb",
        checkbox_border_color_selected="#2b4acb",
        button_primary_background_fill="#2b4acb",
        button_primary_background_fill_hover="#203aa8",
        button_primary_background_fill_dark="#a3b8ff",
        button_primary_background_fill_hover_dark="#c2d0ff",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#161614",
    )
    try:
        blocks.launch(
            server_name="127.0.0.1",
            server_port=port,
            share=False,
            inbrowser=browser,
            quiet=True,
            prevent_thread_lock=True,
            ssr_mode=False,
            run_history=False,
            footer_links=[],
            theme=theme,
            head=f"<style>{beside('style.css')}{_STYLE}</style>",
        )
    except OSError:
        ports = f"port {port}" if port else "ports 7860 to 7959"
        raise ProblemError(f"{ports}: taken, or not allowed; accepted: another --port") from None
    return blocks


def page(gradio: Any, model: str | None) -> Any:
    """The page's parts and what they do, as gradio.Blocks that are not yet served."""
    load_runtime(model)
    with gradio.Blocks(title="RevOrder", analytics_enabled=False) as blocks:
        gradio.Markdown(
            "# RevOrder\nType arithmetic. A small language model writes it out, and a judge follows every step."
        )
        with gradio.Row(equal_height=True):
            asked = gradio.Textbox(
                label="Expression",
                placeholder="948/12",
                container=False,
                max_lines=1,
                scale=6,
                min_width=180,
                elem_id="expression",
            )
            compute = gradio.Button("Compute", variant="primary", scale=1, min_width=104, elem_id="compute")
        with gradio.Row():
            option = {"container": False, "min_width": 120, "elem_classes": "choice"}
            slowly = gradio.Checkbox(True, label="Slow enough to watch", **option)
            go_on = gradio.Checkbox(False, label=f"{DECIMALS} decimals", **option)

        def show(text: str, slowly: bool, go_on: bool) -> Iterator[str]:
            yield from frames(text, model, PACE if slowly else 0, DECIMALS if go_on else None)

        work = gradio.HTML(
            elem_id="work", elem_classes="revorder", js_on_load=beside("keys.js"), apply_default_css=False, render=False
        )
        examples = gradio.Examples(EXAMPLES, asked)
        work.render()
        shown = {"fn": show, "inputs": [asked, slowly, go_on], "outputs": work}
        shown |= {"show_progress": "hidden", "concurrency_limit": 4}
        asked.submit(**shown)
        compute.click(**shown)
        examples.load_input_event.then(**shown)
    return blocks


def frames(text: str, model: str | None = None, pace: float = 0, decimals: int | None = None) -> Iterator[str]:
    """The states of the page while a model computes an expression, `pace` seconds a token; the last has every method.

    `decimals`: as `solve` takes it.

    >>> *_, last = frames("12+35")
    >>> "<b>= 47</b>" in last, "CSID" in last
    (True, True)
    """
    calculator = Calculator(load_runtime(model))
    info = calculator.runtime.info
    running, sent = reduced(text, decimals), None
    done: list[str] = []
    head = result(text, None, "writing", "Being computed.")
    yield head
    try:
        while True:
            problem = running.send(sent)
            if reason := calculator.beyond(problem):
                sent = calculator.unasked(problem, reason)
            else:
                written = ""
                for written in growing(calculator, problem, pace):
                    trace = f"{problem}={written}"
                    yield head + "".join(done) + picture(trace, info.method, info.form, done=False)
                sent = calculator.judge(problem, written)
            done.append(operation(sent, info.method, info.form))
    except StopIteration as end:
        solution: Solution = end.value
    yield conclusion(solution) + "".join(done) + (HINT if done else "") + compared(solution)


def growing(calculator: Calculator, problem: Problem, pace: float) -> Iterator[str]:
    """What the model has written after a problem's question, as it grows; the whole comes last."""
    written, shown = "", 0.0
    for piece in calculator.runtime.stream(f"{problem}=", calculator.runtime.info.max_new_tokens(problem)):
        if pace or time.monotonic() - shown > FRAME:
            yield written
            shown = time.monotonic()
        time.sleep(pace)
        written += piece
    yield written


def operation(computed: Computed, method: str, form: str) -> str:
    """One operation of the work: the model's trace, and where it is Python's integers' answer, that with the reason."""
    if computed.by == "model":
        return picture(computed.text, method, form)
    rejected = picture(computed.rejected, method, form) if computed.rejected else ""
    note = f"By Python's integers: {computed.reason}."
    head = headline(str(computed.problem), computed.answer, "right", note)
    return f'{rejected}<section class="trace">{head}</section>'


def conclusion(solution: Solution) -> str:
    """The answer, and how it came about; no answer where it is not verified."""
    if solution.error or not solution.verified:
        return result(solution.problem, None, "wrong", solution.error or f"Not verified: {solution.reason}.")
    others = sum(step.by == solution.by for step in solution.steps)
    note = NOTES[solution.by].format(others=others, steps=len(solution.steps))
    return result(solution.problem, solution.answer, "right", note + " It is rounded." * solution.rounded)


def result(question: str, answer: str | None, state: str, note: str) -> str:
    """The head of the page's work."""
    return f'<div class="result" role="status">{headline(question, answer, state, note)}</div>'


def compared(solution: Solution) -> str:
    """The operations of a solution by every method, where they are short enough to be read."""
    problems = list(dict.fromkeys(step.problem for step in solution.steps))
    if not problems or len(problems) > MOST_COMPARED or max(problem.digits for problem in problems) > MOST_DIGITS:
        return ""
    return f'<h2 class="every">The same by every method</h2><div class="cards">{comparison(problems)}</div>'
