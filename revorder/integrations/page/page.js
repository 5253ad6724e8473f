// The page: reads a question, plays the work, and answers to hands, keys and links.

const byId = (id) => document.getElementById(id);
const model = createModel(JSON.parse(byId("model").textContent), byId("weights").textContent);
const EXAMPLES = ["902/129", "123+179", "4567*89", "12-35", "10/4", "(12+34)*2-100", "twelve times 7"];
const SLOW = { token: 170, part: 450, mark: 1200 }; // milliseconds after a token, a number, a W
const HINT = "Point at a digit, tap it, or use the arrow keys, to see where it came from.";
const WORTH_A_PAUSE = ["estimate", "reversed", "unreached", "rollback", "sign"];
const calm = matchMedia("(prefers-reduced-motion: reduce)");

let turn = 0; // of the question that is played; older work stops
let goOn = null; // ends a wait: the next step, another pace, another question
let shown = { question: "", answer: "", operations: [] };

// Playing a question

async function showQuestion(typed) {
  const mine = ++turn;
  goOn?.();
  shown = { question: typed, answer: "", operations: [] };
  byId("question").value = typed;
  byId("work").replaceChildren();
  byId("why").replaceChildren();
  byId("next").hidden = true;
  say("caption", HINT);
  setVerdict("");
  setAnswer("");
  try {
    const { text, decimal } = fromWords(typed);
    const decimals = decimal ? DECIMALS : null;
    const postfix = parse(text);
    shown.question = pretty(text);
    setAnswer(shown.question);
    byId("caption").setAttribute("aria-live", "off");
    explainWhy(exactProblems(postfix, decimals));
    const answer = await play(mine, solve(model, text, decimals));
    if (mine !== turn) return;
    setAnswer(shown.question, answer, otherAnswer(text, postfix, decimal));
    say("caption", HINT);
    say("said", `${shown.question} = ${answer.text}. ${byId("verdict").textContent}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (mine !== turn) return;
    setVerdict(error.message, "wrong");
    say("said", error.message);
  } finally {
    if (mine === turn) {
      byId("next").hidden = true;
      byId("caption").setAttribute("aria-live", "polite");
    }
  }
}

// Show the events of a solution as they come; returns the answer.
async function play(mine, events) {
  const counts = { model: 0, beyond: 0, repaired: 0 };
  let [operation, trace, painted] = [null, "", performance.now()];
  for (;;) {
    const { value: event, done } = events.next();
    if (done) {
      setVerdict(verdictOf(counts, event.rounded), "right");
      return event;
    }
    if (event.type === "operation") {
      const { problem, asked } = event;
      setVerdict("The model is writing. Every digit is checked as it lands.");
      trace = withoutSpaces(`${problem.a}${problem.op}${problem.b}=`);
      operation = addOperation(problem);
      if (!asked) {
        counts.beyond++;
        const { a, op, b } = problem;
        operation.note(`${operationText(a, op, b)} is longer than this model was trained on, so ordinary integers compute it.`);
      }
    } else if (event.type === "token") {
      trace = withoutSpaces(trace + event.text);
      operation.update(trace, judge(operation.problem, trace, model.size), false);
      if (isFast()) {
        if (performance.now() - painted > 14) await wait(0);
        painted = performance.now();
      } else await pause(operation);
    } else {
      operation.update(event.trace, event.verdict, true);
      operation.point(null);
      counts[event.verdict.ok ? "model" : "repaired"]++;
      if (!event.verdict.ok) repair(operation, event);
    }
    if (mine !== turn) throw new Refusal("");
  }
}

function addOperation(problem) {
  const operation = createOperation(problem, (from, one) => {
    for (const other of shown.operations) if (other !== from) other.point(null);
    if (one) explain(one);
  });
  shown.operations.push(operation);
  byId("work").append(operation.section);
  return operation;
}

// The rejected trace stays, marked; the right one follows.
function repair(operation, { trace, verdict }) {
  operation.note(`✗ Rejected. ${rejection(verdict, trace, verdict.at)}`, "wrong");
  operation.note("Repaired by ordinary integers:");
  const right = correctTrace(operation.problem, model.size);
  const repaired = addOperation(operation.problem);
  repaired.update(right, judge(operation.problem, right, model.size), true);
}

const isFast = () => calm.matches || document.querySelector("[name=pace]:checked").value === "fast";

async function pause(operation) {
  const last = operation.last();
  operation.point(last.at);
  const whole = operation.isWhole() && WORTH_A_PAUSE.includes(last.segment.kind);
  if (whole) explain(last);
  if (document.querySelector("[name=pace]:checked").value === "step") {
    if (!whole) return;
    byId("next").hidden = false;
    await wait(Infinity);
    return;
  }
  await wait(!whole ? SLOW.token : last.takenBack ? SLOW.mark : SLOW.part);
}

function wait(milliseconds) {
  return new Promise((resolve) => {
    goOn = resolve;
    if (milliseconds !== Infinity) setTimeout(resolve, milliseconds);
  });
}

// What stands beside the work

function say(id, text) {
  byId(id).textContent = text;
}

function explain(one) {
  const [headline, detail] = sentences(one);
  byId("caption").replaceChildren(element("b", {}, headline), element("span", {}, detail));
}

function setVerdict(text, kind = "") {
  byId("verdict").className = `verdict ${kind}`;
  say("verdict", kind === "right" ? `✓ ${text}` : text);
}

function verdictOf({ model: written, beyond, repaired }, rounded) {
  const end = rounded ? ` Rounded to ${DECIMALS} decimals.` : "";
  const all = written + beyond + repaired;
  if (!all) return `Nothing to compute.${end}`;
  if (repaired) return `Exact. The check caught a wrong digit, and ordinary integers computed that step.${end}`;
  if (beyond) return `Exact. Ordinary integers computed ${all === beyond ? "it" : `${beyond} of ${all} steps`}, beyond what the model was trained on.${end}`;
  return `The model wrote every digit, and every digit is right.${end}`;
}

// The question, very long numbers in it shortened, its answer, and a link to the other way to say that.
function setAnswer(question, answer, other) {
  const head = byId("answer");
  shown.answer = answer?.text ?? "";
  head.replaceChildren(grouped(question.replace(/[0-9]{61,}/g, (digits) => shortened(BigInt(digits)))));
  if (answer) head.append(" ", element("b", {}, "= ", grouped(readable(answer.text))));
  byId("other").replaceChildren(...(other ? ["or ", link(other.source, other.text)] : []));
  head.classList.toggle("long", head.textContent.length > 60);
  head.tabIndex = head.scrollHeight > head.clientHeight + 1 ? 0 : -1;
}

// 2 R 2 for 2.5, and the other way round, where integers are divided.
function otherAnswer(text, postfix, decimal) {
  if (!isWhole(postfix)) return null;
  const plain = tryExactly(() => exactAnswer(postfix, null));
  if (!plain?.text.includes("R")) return null;
  if (decimal) return { source: text, text: readable(plain.text) };
  const continued = tryExactly(() => exactAnswer(postfix, DECIMALS)); // its digits may be too many
  return continued && { source: `${text} as a decimal`, text: continued.text };
}

function tryExactly(compute) {
  try {
    return compute();
  } catch {
    return null; // a remainder that the rest can't use
  }
}

function exactRun(postfix, decimals, onProblem) {
  const reduction = reduceToAnswer(postfix, decimals);
  let next = reduction.next();
  for (; !next.done; next = reduction.next(exactly(next.value))) onProblem(next.value);
  return next.value;
}

const exactAnswer = (postfix, decimals) => exactRun(postfix, decimals, () => {});

function exactProblems(postfix, decimals) {
  const problems = [];
  tryExactly(() => exactRun(postfix, decimals, (problem) => problems.push(problem)));
  return problems;
}

function explainWhy(problems) {
  const counted = problems.map((problem) => [problem, unwrittenDigits(problem) ?? Infinity]);
  const [hardest] = counted.sort((one, other) => other[1] - one[1])[0] ?? [];
  if (hardest) byId("why").replaceChildren(element("b", {}, "Why backwards? "), whyBackwards(hardest));
}


// Signs as in a book, with spaces around those that stand between two numbers.
function pretty(text) {
  return asciiSigns(text).replace(/[\s=?]+$/, "").replace(/\s+/g, " ").replace(/(?<=[0-9)\]}%])\s*(\/\/|[-+*/]|[xX])\s*/g, " $1 ")
    .replace(/\/\//g, "⫽").replace(/[*xX]/g, "×").replace(/\//g, "÷").replace(/-/g, "−").replace(/⫽/g, "//").trim();
}

// A text whose long numbers show gaps between groups of three digits, which are not copied.
function grouped(text) {
  const out = document.createDocumentFragment();
  for (const piece of text.split(/((?<![.0-9])[0-9]{5,})/)) {
    if (!/^[0-9]{5,}$/.test(piece)) out.append(piece);
    else for (const group of piece.split(/(?=(?:[0-9]{3})+$)/)) out.append(element("span", { class: "group" }, group));
  }
  return out;
}

// Links, copies, controls

const hashOf = (typed) => "#" + encodeURIComponent(typed).replace(/%(2F|2B|2A|28|29|3D|2C)/g, decodeURIComponent);
const link = (source, text) => element("a", { href: hashOf(source) }, text);

function fromHash() {
  const hash = location.hash.slice(1);
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash; // 10% was typed into the address
  }
}

function go(typed) {
  if (hashOf(typed) === location.hash) showQuestion(typed);
  else location.hash = hashOf(typed);
}

async function confirmed(button, work) {
  const label = button.dataset.label ??= button.textContent;
  button.textContent = (await work()) ?? "Copied";
  setTimeout(() => (button.textContent = label), 1600);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // not allowed here: the old way
    const area = document.body.appendChild(element("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const traces = () => shown.operations.map((one) => one.text()).filter(Boolean);

async function copyImage() {
  const rows = shown.operations.flatMap((one) => one.codes());
  const picture = await drawWork(shown.question, readable(shown.answer), byId("verdict").textContent, rows);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return "Copied";
  } catch { // a file in its place
    const file = element("a", { href: URL.createObjectURL(picture), download: "revorder.png" });
    file.click();
    return "Saved";
  }
}

function start() {
  const parameters = byId("weights").textContent.length * 0.75 / (JSON.parse(byId("model").textContent).type === "float32" ? 4 : 2);
  say("parameters", parameters >= 1e6 ? `${(parameters / 1e6).toFixed(1)} million` : Math.round(parameters).toLocaleString("en"));
  byId("examples").append(...EXAMPLES.map((text) => link(text, text)));
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    go(byId("question").value);
  });
  byId("again").addEventListener("click", () => showQuestion(fromHash() || EXAMPLES[0]));
  byId("next").addEventListener("click", () => goOn?.());
  byId("pace").addEventListener("change", () => {
    byId("next").hidden = true;
    goOn?.();
  });
  byId("copy-link").addEventListener("click", ({ target }) => confirmed(target, () => copyText(location.href)));
  byId("copy-text").addEventListener("click", ({ target }) =>
    confirmed(target, () => copyText([`${shown.question} = ${readable(shown.answer)}`, ...traces()].join("\n"))));
  byId("copy-image").addEventListener("click", ({ target }) => confirmed(target, copyImage));
  byId("break").addEventListener("click", ({ target }) => {
    const broken = target.getAttribute("aria-pressed") !== "true";
    const [seven, eight] = model.tokenizer.encode("r|78").slice(1).map((id, i) => id - 10 * i);
    model.llama.swap(seven, eight);
    target.setAttribute("aria-pressed", broken);
    target.textContent = broken ? "Mend the model" : "Break the model";
    say("broken", broken ? "It now writes 8 for 7, and 7 for 8, as the first digit of a number." : "");
    byId("stage").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" });
    go("38+49");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const one of shown.operations) one.point(null);
    say("caption", HINT);
  });
  addEventListener("hashchange", () => showQuestion(fromHash() || EXAMPLES[0]));
  showQuestion(fromHash() || EXAMPLES[0]);
}

start();
