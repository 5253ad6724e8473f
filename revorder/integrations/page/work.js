// The work on the page: an operation's steps, each character a thing to point at, and what each step says in words.

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// An operation that the model writes. `update(trace, verdict, done)` shows its text so far.
function createOperation(problem, onPoint) {
  const list = element("ol", { class: "steps" });
  const section = element("section", { class: "operation" }, list);
  const cursor = element("span", { class: "cursor" });
  const characters = []; // each as readTrace gives it, with its element
  const items = [];
  let pointed = null;
  let [whole, written] = [false, ""];

  function update(trace, verdict, done) {
    const rows = readTrace(problem, trace, verdict);
    const { segment } = rows.at(-1).at(-1);
    written = trace;
    whole = trace.length === verdict.at && rows.at(-1).filter((one) => one.segment === segment).length === segment.text.length;
    rows.forEach((row, i) => {
      const item = (items[i] ??= addItem());
      for (const one of row) {
        const known = characters[one.at];
        const shown = known?.element ?? item.code.appendChild(createCharacter(one));
        if (one.takenBack) shown.classList.add("back");
        characters[one.at] = { ...one, element: shown };
      }
      item.gloss.replaceChildren(...glossOf(row));
    });
    const last = items[rows.length - 1] ?? (items[0] ??= addItem());
    const wrong = trace.slice(verdict.at);
    cursor.remove();
    if (wrong) last.code.append(element("span", { class: "bad" }, wrong));
    else if (!done) last.code.append(cursor);
    if (pointed !== null) point(pointed);
  }

  function addItem() {
    const [code, gloss] = [element("code"), element("p", { class: "gloss" })];
    list.append(element("li", {}, code, gloss));
    return { code, gloss };
  }

  function createCharacter({ char, at, segment }) {
    const kind = ["question", "zeros"].includes(segment.role) ? "" : /[0-9]/.test(char) ? "digit" : "mark";
    const first = characters.length === 0;
    const attributes = { class: `c new ${kind}`, role: "button", "data-at": at, tabindex: first ? 0 : -1, "aria-describedby": "caption" };
    return element("span", attributes, char);
  }

  // Mark a character, where it comes from, and its digit in words; `null` marks nothing.
  function point(at) {
    for (const marked of section.querySelectorAll(".on, .from")) marked.classList.remove("on", "from");
    pointed = at;
    const one = characters[at];
    if (!one) return;
    one.element.classList.add("on");
    for (const from of one.from) characters[from]?.element.classList.add("from");
    section.querySelector(`.gloss [data-of="${at}"]`)?.classList.add("on");
  }

  function pointAt(at) {
    point(at);
    onPoint(api, characters[at] ?? null);
  }

  const placeOf = (event) => event.target.closest?.(".c")?.dataset.at;
  list.addEventListener("pointerover", (event) => placeOf(event) && pointAt(Number(placeOf(event))));
  list.addEventListener("click", (event) => placeOf(event) && pointAt(Number(placeOf(event))));
  list.addEventListener("focusin", (event) => placeOf(event) && pointAt(Number(placeOf(event))));
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!by || pointed === null) return;
    const next = characters[Math.max(0, Math.min(characters.length - 1, pointed + by))];
    characters[pointed].element.tabIndex = -1;
    next.element.tabIndex = 0;
    next.element.focus();
    event.preventDefault();
  });

  const note = (text, kind = "", strong = "") => {
    section.append(element("p", { class: `note ${kind}` }, text, ...(strong ? [element("b", {}, strong)] : [])));
  };
  const api = {
    problem,
    section,
    update,
    note,
    point,
    last: () => characters.at(-1),
    isWhole: () => whole, // whether its last number or mark is written in full
    codes: () => items.map(({ code }) => code),
    text: () => written,
  };
  return api;
}

// What a step says in words; a number that is still being written grows to the left.
function glossOf(row) {
  const out = [];
  const parts = [];
  for (const one of row) {
    if (parts.at(-1)?.[0].segment !== one.segment) parts.push([]);
    parts.at(-1).push(one);
  }
  const takenBack = row.some((one) => one.takenBack);
  const say = (...pieces) => out.push(...pieces, " ");
  for (const part of parts) {
    const { kind, role, op, a, b, text } = part[0].segment;
    const number = () => numberInWords(part);
    if (kind === "estimate") say(`${shortened(b)} into ${shortened(a)}: try ${text}.`);
    else if (kind === "unreached") say(`${shortened(b)} does not fit into ${shortened(a)}. Take one more digit.`);
    else if (kind === "reversed" && op === "-" && a < b) {
      if (part.length === text.length) say(`${operationText(a, op, b)} is below zero.`);
      else say(`${operationText(a, op, b)} =`, " ", number());
    } else if (kind === "reversed") {
      const factors = op === "*" ? [b, op, a] : [a, op, b];
      if (part.length > (text.startsWith(MARK) ? MARK.length : 0)) say(`${operationText(...factors)} =`, " ", number(), part.length === text.length ? "." : "");
    } else if (kind === "rollback") say(element("b", { class: "back" }, "Wrong: take it back."));
    else if (kind === "sign") say(element("b", { class: "back" }, "Turn it round."));
    else if (role === "minus") say("With a minus sign.");
    else if (role === "down" && part.length === text.length) say(`Bring down ${backwards(text.slice(MARK.length))}.`);
    else if (role === "end" && part.length === text.length) say("First a 0: no digit is left to bring down.");
    else if (role === "multiplier" && /^0+$/.test(text)) say("Times 0: nothing to add.");
    else if (role === "answer" && part.length === text.length) say(`The answer: ${text.slice(1).replace("R", " with remainder ")}.`);
  }
  if (takenBack) for (const piece of out) piece.classList?.add("back");
  return out;
}

function numberInWords(part) {
  const { text } = part[0].segment;
  const marks = text.startsWith(MARK) ? MARK.length : 0;
  const digits = part.slice(marks).reverse();
  const whole = part.length === text.length;
  while (whole && digits.length > 1 && digits[0].char === "0") digits.shift();
  const spans = digits.map(({ char, at }) => element("span", { "data-of": at }, char));
  return element("b", {}, ...(whole ? [] : [element("i", {}, "…")]), ...spans);
}
