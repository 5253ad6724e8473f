// Words as signs: "what is twelve times 7" is "12*7".

const UNITS = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen`.split(/\s+/);
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALES = { thousand: 3, million: 6, billion: 9, trillion: 12 };
const OPERATORS = [
  [/\b(?:multiplied by|times)\b/g, "*"],
  [/\b(?:divided by|over)\b/g, "/"],
  [/\b(?:plus|added to)\b/g, "+"],
  [/\b(?:minus|less|take away)\b/g, "-"],
  [/\b(?:negative)\b/g, "-"],
  [/\s*\b(?:percent|per cent)\b/g, "%"],
];
const SAID_BEFORE = /^(?:please|hey|so|what is|what's|whats|how much is|calculate|compute|work out|solve|find|the result of|the value of)\b[,:]?\s*/;
const PAIRS = { sum: "+", product: "*", difference: "-", quotient: "/" };
const plain = (digits) => Number(digits.replace(/[$,]/g, ""));
const TERM = String.raw`(-?\$?[\d.,]+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))`;
const ONE_TERM = new RegExp(`^\\s*${TERM}\\s*$`);
const RULES = [
  ["(?:the )?(sum|product|difference|quotient) (?:of|between) TERM and TERM", (_, pair, a, b) => {
    if (pair === "difference" && !(plain(a) >= plain(b))) throw new Refusal(`Write ${a} - ${b}, or ${b} - ${a}.`);
    return `(${a}${PAIRS[pair]}${b})`;
  }],
  ["add TERM (?:to|and) TERM", "($2+$1)"],
  ["subtract TERM from TERM", "($2-$1)"],
  ["multiply TERM (?:by|with|and) TERM", "($1*$2)"],
  ["divide TERM by TERM", "($1/$2)"],
  ["half of TERM", "($1/2)"],
  ["(?:double|twice) TERM", "(2*$1)"],
].map(([words, signs]) => [new RegExp(`\\b${words.replaceAll("TERM", TERM)}`), signs]);

const FRACTION_BEHIND = /(?:÷|\bdivided by\b)\s*[\d.,]+\s*\/\s*\d/i;
const PERCENT_BEHIND = /\b(?:plus|minus|less|take away|added to)\s+[\d.,]+\s*(?:%|percent|per cent)(?!\s*of\b)/i;

// {text, decimal}: what was typed as signs, and whether the answer is to be a decimal.
function fromWords(typed) {
  const asked = /\s+as (?:a )?decimals?\s*[?.]?\s*$/i;
  const decimal = asked.test(typed);
  const text = typed.replace(asked, "");
  if (FRACTION_BEHIND.test(text)) throw new Refusal("A fraction behind a division has two meanings. Put it in brackets.");
  if (PERCENT_BEHIND.test(text)) throw new Refusal("A percent of what? Write 200*(1-15%), or 200-0.15.");
  if (!/\p{L}{2}/u.test(text)) return { text, decimal };
  let said = text.toLowerCase().replace(/(\p{L})-(?=\p{L})/gu, "$1 ").trim().replace(/[?.!]+$/, "");
  while (SAID_BEFORE.test(said)) said = said.replace(SAID_BEFORE, "");
  said = numbersIn(said.replace(/\bequals?$/, ""));
  const before = said;
  for (const [words, signs] of RULES) said = said.replace(words, signs);
  if (said !== before) {
    if (!ONE_TERM.test(said)) throw new Refusal("The words may hold for one number or for all. Write signs and brackets.");
    said = said.trim().slice(1, -1);
  }
  for (const [words, sign] of OPERATORS) said = said.replace(words, sign);
  said = said.replace(/%\s*of\b/g, "%*").replace(/\band\b/g, "+");
  const unknown = /\p{L}{2,}/u.exec(said);
  if (unknown) throw new Refusal(`“${unknown[0]}” is not a word this page knows. Try “12 times 7”.`);
  return { text: said.trim(), decimal };
}

// Number words as digits: "one hundred and five" is 105, "two point five" 2.5, "2.5 million" 2500000.
function numbersIn(said) {
  const word = `(?:${[...UNITS, ...TENS, "hundred", ...Object.keys(SCALES)].join("|")})`;
  const phrase = new RegExp(`(?<!\\d\\s+)\\b(?:an? (?=hundred|thousand|million|billion|trillion))?${word}(?:(?:(?<=hundred|thousand|million|billion|trillion)\\s+and)?\\s+${word})*\\b`, "g");
  const digit = `(?:${UNITS.slice(0, 10).join("|")}|\\d+)`;
  return said
    .replace(new RegExp(`\\s+point ((?:${digit} )*${digit})\\b`, "g"), (_, places) => "." + places.split(" ").map((one) => (/\d/.test(one) ? one : UNITS.indexOf(one))).join(""))
    .replace(phrase, (words) => numberOf(words).toString())
    .replace(/\b(\d+)(?:\.(\d+))?\s+(thousand|million|billion|trillion)\b/g, (_, whole, behind = "", scale) => {
      const digits = behind.padEnd(SCALES[scale], "0");
      return `${whole}${digits.slice(0, SCALES[scale])}.${digits.slice(SCALES[scale])}`.replace(/\.$/, "");
    });
}

function numberOf(words) {
  const list = words.split(/\s+/);
  const units = list.map((word) => UNITS.indexOf(word));
  if (list.length > 1 && units.every((unit) => unit >= 0 && unit < 10)) return units.join(""); // digit by digit
  // u: a digit, t: ten to nineteen, T: twenty to ninety, h: hundred, s: a scale
  const kinds = list.filter((word) => word !== "and").map((word) =>
    word === "zero" ? "z" : UNITS.includes(word) ? (UNITS.indexOf(word) < 10 ? "u" : "t") : TENS.includes(word) ? "T" : word === "hundred" ? "h" : "s").join("");
  const scales = list.filter((word) => word in SCALES).map((word) => SCALES[word]);
  if (!/^(?:z|(?:(?:(?:Tu|[Ttu])?h)?(?:Tu|[Ttu])?s)*(?:(?:Tu|[Ttu])?h)?(?:Tu|[Ttu])?)$/.test(kinds) || scales.some((scale, i) => i && scale >= scales[i - 1]))
    throw new Refusal(`“${words}” is not one number. Write its digits.`);
  let [total, part] = [0n, 0n];
  for (const word of list) {
    if (UNITS.includes(word)) part += BigInt(UNITS.indexOf(word));
    else if (TENS.includes(word)) part += BigInt(10 * (TENS.indexOf(word) + 2));
    else if (word === "hundred") part = (part || 1n) * 100n;
    else if (word in SCALES) [total, part] = [total + (part || 1n) * power(SCALES[word]), 0n];
  }
  return total + part;
}
