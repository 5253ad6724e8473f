// How many digits that stand nowhere the hardest digit of an answer needs, if it is written at once, from the left.

const MOST_COUNTED = 4e6; // digits of the operands multiplied, the longer one's squared

// The digits of a number as JavaScript numbers, units first.
const digitsOf = (n) => [...n.toString()].reverse().map(Number);

// What each column passes on to the next, units first; negative where it borrows.
function passedOn(columns) {
  let carry = 0;
  return columns.map((column) => (carry = Math.floor((carry + column) / 10)));
}

function columnsOf(a, b, join) {
  const [first, second] = [digitsOf(a), digitsOf(b)];
  return Array.from({ length: Math.max(first.length, second.length) }, (_, i) => join(first[i] ?? 0, second[i] ?? 0));
}

const carries = (a, b) => passedOn(columnsOf(a, b, (x, y) => x + y));
const borrows = (a, b) => passedOn(columnsOf(a, b, (x, y) => x - y)).map((passed) => -passed);
const productCarries = (a, digit) => passedOn(digitsOf(a).map((x) => x * digit));
const countOf = (flags) => flags.filter(Boolean).length;

// The unbroken run of carries that ends just below a place, 1 being the units.
function runBelow(flags, place) {
  let i = place - 2;
  let run = 0;
  while (i >= 0 && flags[i]) [run, i] = [run + 1, i - 1];
  return run;
}

const topRun = (flags) => runBelow(flags, flags.length + 1);

// [multiplicand, digit, zeros] where one factor is a digit and zeros, else null.
function oneDigit(a, b) {
  let zeros = 0;
  for (; a && b && a % 10n === 0n; zeros++) a /= 10n;
  for (; a && b && b % 10n === 0n; zeros++) b /= 10n;
  if (a < 10n && b >= 10n) [a, b] = [b, a];
  return b < 10n ? [a, Number(b), zeros] : null;
}

// null where the numbers are too long to count.
function unwrittenDigits({ a, op, b }) {
  const [n, m] = [length(a), length(b)];
  if ("*/".includes(op) && n * m * Math.max(n, m) > MOST_COUNTED) return null;
  if (op === "/") return Math.max(0, ...quotientWork(a, b));
  if (op === "*" && !oneDigit(a, b)) return productWork(a, b);
  let sign = 0;
  let [flags, zeros, last] = [carries(a, b), 0, Infinity];
  let digits = length(op === "*" ? a * b : op === "+" ? a + b : magnitude(a - b));
  if (op === "-") {
    if (a < b) {
      sign = topRun(borrows(a, b));
      [a, b] = [b, a];
    }
    flags = borrows(a, b);
  } else if (op === "*") {
    const [many, digit, behind] = oneDigit(a, b);
    [flags, zeros, last] = [productCarries(many, digit), behind, length(many)];
  }
  const runs = Array.from({ length: digits }, (_, i) => {
    const place = i + 1 - zeros;
    const top = op === "-" && i === digits - 1 ? flags.length : Math.min(place, last);
    return place > 0 ? runBelow(flags, top) : 0;
  });
  return Math.max(sign, ...runs);
}

const unwrittenProduct = (a, digit) => length(a * BigInt(digit)) + countOf(productCarries(a, digit).slice(0, -1));

function productWork(a, b) {
  if (length(a) < length(b)) [a, b] = [b, a];
  const digits = digitsOf(b).map((digit, i) => [i, digit]).filter(([, digit]) => digit);
  let [work, total] = [0, 0n];
  digits.forEach(([i, digit], count) => {
    const shifted = a * BigInt(digit) * power(i);
    work += unwrittenProduct(a, digit);
    if (count) work += countOf(carries(total, shifted));
    total += shifted;
    if (count && count < digits.length - 1) work += length(total);
  });
  return work;
}

// For each digit of the quotient, and for the remainder, the work of the steps before it.
function quotientWork(a, b) {
  const digits = a.toString();
  let used = digits.length - length(a / b) + 1;
  let left = BigInt(digits.slice(0, used));
  let done = 0;
  const needed = [];
  for (;;) {
    needed.push(b > 9n || a > 99n ? done : 0);
    const digit = Number(left / b);
    if (a >= b && digit) {
      const product = b * BigInt(digit);
      done += unwrittenProduct(b, digit) + length(left - product) + countOf(borrows(left, product));
    }
    left %= b;
    if (used === digits.length) break;
    left = left * 10n + BigInt(digits[used++]);
  }
  if (a % b) needed.push(done);
  return needed;
}
