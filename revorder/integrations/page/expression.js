// Expressions: read in linear time, and reduced pair by pair to problems on non-negative integers.
// A reduction is a generator: it yields each problem, is sent its [value, remainder], and returns the answer.

const MAX_DIGITS = 2000;
const MAX_TERMS = 10000;
const DECIMALS = 6;
const TOO_LARGE = 10n ** BigInt(MAX_DIGITS);
const NUMBER =
  /(?=\.?[0-9])((?:[1-9][0-9]{0,2}(?:([,_ '\u00a0\u202f])[0-9]{3})(?:\2[0-9]{3})*(?![0-9])|[0-9]+)?)(\.[0-9]+)?(\s?%)?/y;
const TIMES = /([xX]\s*|(?<=\s)[xX]\s+-)[0-9.(\[{$€£]/y;
const PRECEDENCE = { "+": 1, "-": 1, "*": 2, "/": 2, "//": 2, neg: 3 };
const CLOSING = { "(": ")", "[": "]", "{": "}" };
const SIGNS = {
  "×": "*", "∗": "*", "·": "*", "⋅": "*", "∙": "*", "✕": "*", "✖": "*", "÷": "/", "∕": "/", "−": "-", "–": "-",
};

// What a person typed can't be computed; the message is the page's own.
class Refusal extends Error {}

const magnitude = (n) => (n < 0n ? -n : n);
const power = (n) => 10n ** BigInt(n);

function asciiSigns(text) {
  return text.replace(/[×∗·⋅∙✕✖÷∕−–]/g, (sign) => SIGNS[sign])
    .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

// Postfix: a number is {scaled, places, decimal}, all else a string. `decimal`: written with a point or a percent.
function parse(source) {
  const text = source.replace(/^\ufeff/, "");
  const body = asciiSigns(text).trimEnd().replace(/\?$/, "").trimEnd().replace(/=$/, "").trimEnd();
  const postfix = [];
  const stack = [];
  let [wantNumber, currency, at] = [true, "", 0];
  const matched = (pattern) => ((pattern.lastIndex = at), pattern.exec(body));
  if (!body) throw new Refusal("Type a calculation, such as 902/129.");
  if (/\b[0-9]+ ?mod|[0-9]\s+%\s*[-+(]?[0-9]/i.test(body)) throw new Refusal("Remainders by % or mod are not supported.");
  while (at < body.length) {
    const char = body[at];
    if (postfix.length + stack.length >= MAX_TERMS) throw new Refusal(`That is more than ${MAX_TERMS} numbers and signs.`);
    if (/\s/.test(char)) {
      at++;
    } else if (wantNumber && "$€£".includes(char)) {
      currency ||= char;
      if (char !== currency) throw new Refusal(`${char} and ${currency} are different currencies.`);
      at++;
    } else if (wantNumber) {
      if (/^0[xX][0-9a-fA-F]/.test(body.slice(at, at + 3))) throw new Refusal("Hexadecimal numbers are not supported.");
      const match = matched(NUMBER);
      if (match) {
        const [all, whole, , point = "", percent] = match;
        const digits = (whole + point).replace(/[^0-9]/g, "");
        if (digits.length > MAX_DIGITS) throw new Refusal(`A number has ${digits.length} digits; ${MAX_DIGITS} is the most.`);
        const places = Math.max(point.length - 1, 0) + (percent ? 2 : 0);
        postfix.push({ scaled: BigInt(digits), places });
        wantNumber = false;
        at += all.length;
      } else if ("([{-+".includes(char)) {
        if (char !== "+") stack.push(char === "-" ? "neg" : char);
        at++;
      } else throw new Refusal(`A number should stand where “${[...body.slice(at)][0]}” is.`);
    } else if ("+-*/".includes(char) || matched(TIMES)) {
      if (char === "*" && body[at + 1] === "*") throw new Refusal("Powers are not supported. Write 2*2*2 for 2 to the third.");
      const op = "xX".includes(char) ? "*" : text.startsWith("//", at) ? "//" : char;
      while (stack.length && !CLOSING[stack.at(-1)] && PRECEDENCE[stack.at(-1)] >= PRECEDENCE[op]) postfix.push(stack.pop());
      stack.push(op);
      wantNumber = true;
      at += op.length;
    } else if (")]}".includes(char)) {
      while (stack.length && !CLOSING[stack.at(-1)]) postfix.push(stack.pop());
      if (!stack.length || CLOSING[stack.at(-1)] !== char) throw new Refusal(`Nothing opens the bracket “${char}”.`);
      stack.pop();
      at++;
    } else if (char === "^") throw new Refusal("Powers are not supported. Write 2*2*2 for 2 to the third.");
    else throw new Refusal(`A sign such as + - × ÷ should stand where “${[...body.slice(at)][0]}” is.`);
  }
  if (wantNumber) throw new Refusal("A number is missing at the end.");
  while (stack.length) {
    if (CLOSING[stack.at(-1)]) throw new Refusal(`The bracket “${stack.at(-1)}” is never closed.`);
    postfix.push(stack.pop());
  }
  return postfix;
}

const isNumber = (item) => typeof item !== "string";
const isWhole = (postfix) => postfix.every((item) => (isNumber(item) ? !item.places : item !== "//"));

// `decimals`: how far a division goes on; null: integers keep their remainder, decimals go on to DECIMALS.
function* reduceToAnswer(postfix, decimals = null) {
  if (decimals === null && isWhole(postfix)) {
    const [value, remainder] = yield* reduceIntegers(postfix);
    return { text: answerText(value, remainder), rounded: false };
  }
  return yield* reduceScaled(postfix, decimals === null ? DECIMALS : decimals);
}

const answerText = (value, remainder = 0n) => (remainder ? `${value}R${remainder}` : `${value}`);

function signedProblem(a, op, b) {
  if (op === "*" || op === "/") return [{ a: magnitude(a), op, b: magnitude(b) }, a < 0n !== b < 0n];
  if (op === "-") b = -b;
  if (a < 0n && b < 0n) return [{ a: -a, op: "+", b: -b }, true];
  if (a >= 0n && b >= 0n) return [{ a, op: op === "-" && !b ? "-" : "+", b }, false];
  return b < 0n ? [{ a, op: "-", b: -b }, false] : [{ a: b, op: "-", b: -a }, false];
}

function checkSize(...numbers) {
  if (numbers.some((n) => magnitude(n) >= TOO_LARGE)) throw new Refusal(`The numbers grow beyond ${MAX_DIGITS} digits.`);
}

const BY_ZERO = "Nothing can be divided by zero.";

function* reduceIntegers(postfix) {
  const stack = [];
  let last = "";
  const take = () => {
    const [value, remainder] = stack.pop();
    if (remainder) throw new Refusal(`${last} leaves a remainder that the rest can't use. Add “as a decimal” to go on.`);
    return value;
  };
  for (const item of postfix) {
    if (isNumber(item)) stack.push([item.scaled, 0n]);
    else if (item === "neg") stack.push(stack.pop().map((n) => -n));
    else {
      const b = take();
      const a = take();
      checkSize(a, b);
      if (item === "/" && !b) throw new Refusal(BY_ZERO);
      const [problem, negate] = signedProblem(a, item, b);
      const [value, remainder] = yield problem;
      stack.push([negate ? -value : value, item === "/" && a < 0n ? -remainder : remainder]);
      last = `${a}${item}${b}`;
    }
  }
  return stack.pop();
}

// Decimals as top / bottom / 10**places; `bottom` is 1 but for a quotient that does not end.
function* reduceScaled(postfix, decimals) {
  const stack = [];
  for (const item of postfix) {
    if (isNumber(item)) stack.push({ top: item.scaled, bottom: 1n, places: item.places });
    else if (item === "neg") stack.push({ ...stack.at(-1), top: -stack.pop().top });
    else {
      const b = stack.pop();
      const a = stack.pop();
      if (Math.max(a.places, b.places) > MAX_DIGITS) throw new Refusal(`The numbers grow beyond ${MAX_DIGITS} digits.`);
      const operation = item === "*" ? multiplied : item === "/" || item === "//" ? divided : added;
      stack.push(yield* operation(a, item, b, decimals));
    }
  }
  let { top, bottom, places } = stack.pop();
  let rounded = false;
  if (bottom > 1n) {
    const shift = decimals - places;
    bottom *= power(Math.max(-shift, 0));
    places = decimals;
    let [value, remainder] = yield checked({ a: magnitude(top) * power(Math.max(shift, 0)), op: "/", b: bottom });
    if (2n * remainder >= bottom) value = yield* ask(value, "+", 1n);
    rounded = remainder > 0n;
    top = top < 0n ? -value : value;
  }
  const shown = decimalText(top, places);
  return { text: places ? shown.replace(/\.?0+$/, "") : shown, rounded };
}

function checked(problem) {
  checkSize(problem.a, problem.b);
  return problem;
}

function* ask(a, op, b) {
  const [problem, negate] = signedProblem(a, op, b);
  const [value] = yield checked(problem);
  return negate ? -value : value;
}

function* times(a, b) {
  return a === 1n || b === 1n ? a * b : yield* ask(a, "*", b);
}

function* added(a, op, b) {
  const places = Math.max(a.places, b.places);
  let [top, other, bottom] = [a.top * power(places - a.places), b.top * power(places - b.places), a.bottom];
  if (a.bottom !== b.bottom) {
    top = yield* times(top, b.bottom);
    other = yield* times(other, a.bottom);
    bottom = yield* times(a.bottom, b.bottom);
  }
  return { top: yield* ask(top, op, other), bottom, places };
}

function* multiplied(a, op, b) {
  const top = yield* ask(a.top, "*", b.top);
  return { top, bottom: yield* times(a.bottom, b.bottom), places: a.places + b.places };
}

function* divided(a, op, b, decimals) {
  let top = yield* times(a.top, b.bottom);
  let bottom = yield* times(b.top, a.bottom);
  if (!bottom) throw new Refusal(BY_ZERO);
  if (bottom < 0n) [top, bottom] = [-top, -bottom];
  let places = a.places - b.places;
  if (places < 0) [top, places] = [top * power(-places), 0];
  if (op === "//") return yield* floored(top, bottom * power(places));
  const needed = placesNeeded(top, bottom);
  if (needed === null || needed + places > decimals) {
    return bottom > 1n ? { top, bottom, places } : { top, bottom: power(places), places: 0 };
  }
  return { top: yield* ask(top * power(needed), "/", bottom), bottom: 1n, places: places + needed };
}

function* floored(top, bottom) {
  let [value, remainder] = yield checked({ a: magnitude(top), op: "/", b: bottom });
  if (top < 0n && remainder) value = yield* ask(value, "+", 1n);
  return { top: top < 0n ? -value : value, bottom: 1n, places: 0 };
}

// The places behind the point that write top / bottom in full, null where no number of them does.
function placesNeeded(top, bottom) {
  let [a, b] = [magnitude(top), bottom];
  while (b) [a, b] = [b, a % b];
  let rest = bottom / a;
  let [twos, fives] = [0, 0];
  for (; rest % 2n === 0n; twos++) rest /= 2n;
  for (; rest % 5n === 0n; fives++) rest /= 5n;
  return rest === 1n ? Math.max(twos, fives) : null;
}

function decimalText(scaled, places) {
  const digits = magnitude(scaled).toString().padStart(places + 1, "0");
  const sign = scaled < 0n ? "-" : "";
  return places ? `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}` : sign + digits;
}
