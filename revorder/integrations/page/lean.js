// The method that the model writes, and the judge that replays it along a text. Every number is a BigInt.
// A segment is {text, kind, op, a, b}: a piece of a trace, how its digits come about, and the operation they belong to.
// A copied one has a role, which says what it is for.

const STEP_END = { text: "", kind: "step end" };
const copied = (text, role) => ({ text, kind: "copy", role });
const length = (n) => n.toString().length;
const backwards = (text) => [...text].reverse().join("");
const reversedNumber = (n) => MARK + backwards(n.toString());

// The last `width` digits of `n`, least significant first, as if 1 could be borrowed from the next place.
function places(n, width) {
  const modulus = power(width);
  return backwards((((n % modulus) + modulus) % modulus).toString().padStart(width, "0"));
}

// `choose(step, digit, width)` says which quotient digit to write. `size`: digits of a multiplier or quotient a step.
function* write({ a, op, b }, choose, size, answer = false) {
  yield copied(`${a}${op}${b}=`, "question");
  if (op === "/") {
    yield* division(a, b, choose, size);
    yield STEP_END;
    yield copied(`=${answerText(a / b, a % b)}`, "answer");
    return;
  }
  if (op === "+") yield { text: reversedNumber(a + b), kind: "reversed", op, a, b };
  else if (op === "-") yield* subtraction(a, b);
  else yield* multiplication(a, b, size);
  if (answer) {
    yield STEP_END;
    yield { text: `=${op === "+" ? a + b : op === "-" ? a - b : a * b}`, kind: "answer", op, a, b };
  }
}

function* subtraction(a, b) {
  const width = Math.max(length(a), length(b));
  yield { text: MARK + places(a - b, width), kind: "reversed", op: "-", a, b };
  if (a < b) {
    yield { text: "W", kind: "sign", op: "-", a, b };
    yield STEP_END;
    yield { text: MARK + places(b - a, width), kind: "reversed", op: "-", a: b, b: a };
    yield copied("-", "minus");
  }
}

function* multiplication(a, b, size) {
  const [many, few] = length(a) >= length(b) ? [a, `${b}`] : [b, `${a}`];
  if (few.length <= size) {
    const digits = few === "0" ? "0".repeat(length(many)) : backwards((many * BigInt(few)).toString());
    yield { text: MARK + digits, kind: "reversed", op: "*", a: many, b: BigInt(few) };
    return;
  }
  let total = 0n;
  for (let place = 0; place < few.length; place += size) {
    if (place) {
      yield STEP_END;
      yield copied("#", "next");
    }
    const digits = few.slice(Math.max(0, few.length - place - size), few.length - place);
    yield copied(digits + "0".repeat(place), "multiplier");
    const value = BigInt(digits) * power(place);
    if (!value) continue;
    const partial = many * value;
    yield { text: reversedNumber(partial), kind: "reversed", op: "*", a: many, b: value };
    if (total) yield { text: reversedNumber(total + partial), kind: "reversed", op: "+", a: total, b: partial };
    total += partial;
  }
}

function* division(a, b, choose, size) {
  const [digits, width] = [`${a}`, length(b)];
  let place = Math.max(0, digits.length - width);
  let count = (place % size) + 1;
  place -= count - 1;
  let left = a / power(place);
  const least = Math.min(width, digits.length);
  let step = place && left < b ? -1 : 0;
  for (;;) {
    const quotient = left / b;
    const block = choose(step, quotient, count);
    const down = place ? digits.slice(digits.length - place, digits.length - place + size) : "0".repeat(size);
    if (step < 0 && !block) {
      yield { text: "#", kind: "unreached", op: "/", a: left, b };
      left = left * power(size) + BigInt(down);
      [place, step, count] = [place - size, 0, size];
      continue;
    }
    const product = block * b;
    const difference = left - product;
    yield { text: `${block}`.padStart(count, "0"), kind: "estimate", op: "/", a: left, b };
    if (place) yield copied("0".repeat(place), "zeros");
    if (block) yield { text: reversedNumber(product), kind: "reversed", op: "*", a: b, b: block };
    yield copied(MARK + backwards(down), place ? "down" : "end");
    const shown = Math.max(least, length(difference > 0n ? difference : 0n));
    const kind = block ? "reversed" : "copy";
    yield { text: places(difference, shown), kind, op: "-", a: left, b: product };
    if (block !== quotient) {
      yield { text: "W", kind: "rollback" };
      yield STEP_END;
      continue;
    }
    if (!place) return;
    left = difference * power(size) + BigInt(down);
    [place, step, count] = [place - size, step + 1, size];
    yield STEP_END;
    yield copied("#", "next");
  }
}

const correctTrace = (problem, size) =>
  [...write(problem, (step, digit) => digit, size)].map((segment) => segment.text).join("");

// Follow `written` along what the method writes: {ok, at, steps, rollbacks, wanted, segment, pending}.
// `at`: how many characters are right. `segment`: where the first wrong one is, `wanted` what should stand there.
function judge(problem, written, size) {
  let [at, rollbacks, pending] = [0, 0, null];
  const segments = [];
  const choose = (step, correct, width) => {
    if (pending) rollbacks++;
    pending = null;
    const found = written.slice(at, at + width);
    const right = `${correct}`.padStart(width, "0");
    if (found.length === width && /^[0-9]+$/.test(found)) {
      if (step < 0) pending = { digit: found, right: null };
      else if (found !== right) pending = { digit: found, right };
    }
    return pending ? BigInt(found) : correct;
  };
  const ended = (ok, segment = null, wanted = "") => ({ ok, at, rollbacks, segments, segment, wanted, pending });
  for (const segment of write(problem, choose, size, true)) {
    segments.push(segment);
    if (segment === STEP_END) continue;
    if (written.startsWith(segment.text, at)) {
      at += segment.text.length;
      continue;
    }
    if (segment.kind === "answer" && at === written.length) return ended(true);
    let common = 0;
    while (at + common < written.length && written[at + common] === segment.text[common]) common++;
    at += common;
    return ended(false, segment, segment.text.slice(common));
  }
  return ended(at === written.length);
}

// A model's text as the judge reads it: spaces say nothing.
const withoutSpaces = (text) => asciiSigns(text).replace(/[^\S\n]+/g, "").replace(/\n+/g, "\n").replace(/^\n|\n$/g, "");
