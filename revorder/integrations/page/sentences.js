// What is said of a trace in plain words: where a digit came from, and what a step does.

const PLACES = ["ones", "tens", "hundreds", "thousands"];
const SHOWN = { "+": "+", "-": "−", "*": "×", "/": "÷" };
const placeName = (place) => PLACES[place - 1] ?? `digit ${place} from the right`;
const shortened = (n) => (length(n) > 24 ? `${n.toString().slice(0, 10)}…${n.toString().slice(-10)}` : n.toString());
const operationText = (a, op, b) => `${shortened(a)}\u00a0${SHOWN[op]} ${shortened(b)}`;

// [headline, detail] of a character that readTrace returned.
function sentences({ char, segment, place }) {
  const { kind, role, text, op, a, b } = segment;
  if (text.startsWith(MARK) && (char === "r" || char === "|")) {
    return ["r| begins a number written backwards.", "Its ones come first, then its tens, and so on."];
  }
  if (kind === "reversed") {
    const said = op === "*" ? operationText(b, op, a) : operationText(a, op, b);
    return [resultOf(segment) < 0n ? `${said} is below zero` : `${said} = ${shortened(resultOf(segment))}`, detail(segment, place)];
  }
  if (kind === "estimate") return [`How often does ${shortened(b)} go into ${shortened(a)}?`, tried(segment)];
  if (kind === "unreached") return [`# goes on: ${shortened(b)} does not fit into ${shortened(a)}.`, "So one more digit is taken."];
  if (kind === "rollback") return ["W takes the digit back.", "What is struck out was a wrong guess; the next try follows."];
  if (kind === "sign") return ["W takes the number back.", `One borrow was left over, so ${shortened(b)} is larger than ${shortened(a)}.`];
  if (op === "-") return [`0 times anything is 0, so ${shortened(a)} stays.`, ""];
  return {
    question: ["The question, as the model is asked it.", ""],
    next: ["# goes on to the next digit.", ""],
    zeros: ["Zeros keep the place of the digit before them.", ""],
    multiplier: [`One digit to multiply by, ${text}.`, "Its zeros keep its place."],
    down: [`The next digit of the number being divided, ${char}, is brought down.`, ""],
    end: ["A 0 stands for the ones: no digit is left to bring down.", ""],
    minus: ["The minus sign comes last.", ""],
    answer: [char === "R" ? "R: what follows is the remainder." : "The answer, copied together.", ""],
  }[role] ?? ["", ""];
}

// What a reversed segment says, read forwards.
function resultOf({ op, a, b }) {
  return op === "+" ? a + b : op === "-" ? a - b : a * b;
}

function tried({ a, b, text }) {
  const digit = BigInt(text);
  if (digit * b > a) return `${digit} is a guess, and too high: ${digit} × ${shortened(b)} is more than ${shortened(a)}.`;
  if ((digit + 1n) * b <= a) return `${digit} is a guess, and too low: it leaves ${shortened(b)} or more.`;
  return `${digit} times, with ${shortened(a - digit * b)} left.`;
}

function detail({ op, a, b }, place) {
  const at = (n, i) => Number(n.toString().at(-i) ?? 0);
  const has = (n, i) => i <= length(n);
  const name = placeName(place);
  const Name = name[0].toUpperCase() + name.slice(1);
  if (op === "*") {
    const [many, digit, zeros] = oneDigit(a, b) ?? [];
    if (many === undefined) return `${Name} of the product.`;
    const i = place - zeros;
    if (i < 1) return "A zero that keeps the place.";
    const carry = productCarries(many, digit)[i - 2] ?? 0;
    if (!has(many, i)) return carry ? `Only the carry is left: ${carry}.` : "Nothing is left: 0.";
    const whole = at(many, i) * digit + carry;
    const more = carry ? ` plus the carry ${carry} is ${whole}` : ` = ${whole}`;
    const start = `${Name}: ${digit} × ${at(many, i)}`;
    return `${start}${more}. ${writeAnd(whole, has(many, i + 1))}`;
  }
  if (op === "+") {
    const carry = carries(a, b)[place - 2] ?? 0;
    if (!has(a, place) && !has(b, place)) return `Only the carry is left: ${carry}.`;
    const whole = at(a, place) + at(b, place) + carry;
    return `${Name}: ${at(a, place)} + ${at(b, place)}${carry ? " + 1 carried" : ""} = ${whole}. ${writeAnd(whole, true)}`;
  }
  const lent = borrows(a, b)[place - 2] ?? 0;
  const whole = at(a, place) - at(b, place) - lent;
  const asked = `${Name}: ${at(a, place)} − ${at(b, place)}${lent ? " − 1 borrowed" : ""}`;
  return whole < 0 ? `${asked} is below zero; borrow 10 from the next place: ${whole + 10}.` : `${asked} = ${whole}.`;
}

function writeAnd(whole, goesOn) {
  if (whole < 10) return `Write ${whole}.`;
  return goesOn ? `Write ${whole % 10}, carry ${Math.floor(whole / 10)}.` : `Write ${whole % 10}; ${Math.floor(whole / 10)} is left.`;
}

// Why the judge rejects a trace, in words.
function rejection({ segment, wanted, pending }, text, at) {
  const found = text[at];
  if (!segment) return "The text goes on after its end.";
  if (pending && segment.kind === "rollback") return `The guess ${pending.digit} is wrong and is not taken back.`;
  if (found === undefined) return "The model stopped too early.";
  const of = segment.op ? ` in ${operationText(segment.a, segment.op, segment.b)}` : "";
  return `It wrote ${found} where ${wanted[0]} belongs${of}.`;
}

// Why the digits are written backwards, with what a forward answer would need.
function whyBackwards(problem) {
  const count = unwrittenDigits(problem);
  const { op } = problem;
  const answer = readable(answerText(...exactly(problem)));
  const of = answer.length > 24 ? "the answer" : answer;
  if (count === null) return "Written from the left, the first digit would need more unwritten work than this page can count.";
  if (!count) return "Here it makes no difference: no digit needs anything that is not written.";
  if (op === "+" || op === "-") {
    const name = { "+": ["carry", "carries"], "-": ["borrow", "borrows"] }[op];
    const things = count === 1 ? `a ${name[0]} that is` : `${count} ${name[1]} that are`;
    return `Written from the left, a digit of ${of} would need ${things} not written yet. From the right, each digit needs its own column and the one ${name[0]} before it.`;
  }
  const things = count === 1 ? "a digit that is" : `up to ${count} digits that are`;
  return `Written straight away, a digit of ${of} would need ${things} not written yet. Here they are written first, ones before tens, so that each needs no more than the digits in view and one carry.`;
}

const readable = (answer) => answer.replace("R", " R ").replace(/-/g, "−");
