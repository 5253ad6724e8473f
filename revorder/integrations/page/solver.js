// Text in, exact answer and work out: the model computes each operation, the judge checks it, and ordinary integers
// compute what the model was not trained on, and what the judge rejects.

// `model`: {info, tokenizer, llama}; `info` is what revorder.json says.
function createModel(data, base64) {
  const tokenizer = createTokenizer(data.info.places);
  const llama = createLlama(data.config, readTensors(base64, data.tensors, data.type));
  return { info: data.info, size: data.size, tokenizer, llama };
}

// Whether the operands are within what the model was trained on.
function covers(info, { a, op, b }) {
  let [n, m] = [length(a), length(b)];
  if (op !== "/" && n < m) [n, m] = [m, n];
  return info.max_digits.some(([sign, most, other]) => sign === op && n <= most && m <= other);
}

// What the model writes after a question, a token's text at a time.
function* writing({ tokenizer, llama }, question, limit) {
  const prompt = [BOS, ...tokenizer.encode(question)];
  llama.start();
  let next = -1;
  prompt.forEach((token, i) => (next = llama.feed(token, i === prompt.length - 1)));
  for (let written = 0; written < limit && next !== EOS; written++) {
    yield tokenizer.texts[next];
    next = llama.feed(next);
  }
}

// At most thrice the tokens of the correct trace, for digits that are taken back, and 16.
const tokenLimit = (problem, size) => 3 * correctTrace(problem, size).length + 16;

function exactly({ a, op, b }) {
  return op === "/" ? [a / b, a % b] : [op === "+" ? a + b : op === "-" ? a - b : a * b, 0n];
}

// Yields {type: "operation", problem, asked}, then {type: "token", text} for each token, then {type: "judged", verdict};
// returns {text, rounded}. Throws a Refusal for what can't be computed.
function* solve(model, source, decimals = null) {
  const reduction = reduceToAnswer(parse(source), decimals);
  let next = reduction.next();
  while (!next.done) {
    const problem = next.value;
    const asked = covers(model.info, problem);
    yield { type: "operation", problem, asked };
    if (asked) {
      const question = `${problem.a}${problem.op}${problem.b}=`;
      let written = "";
      for (const text of writing(model, question, tokenLimit(problem, model.size))) {
        written += text;
        yield { type: "token", text };
      }
      const trace = withoutSpaces(question + written);
      yield { type: "judged", trace, verdict: judge(problem, trace, model.size) };
    }
    next = reduction.next(exactly(problem));
  }
  return next.value;
}
