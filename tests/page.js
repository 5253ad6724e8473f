// Runs the engine of an exported page in Node: `node page.js FILE.html < requests`, a JSON request a line, a reply a line.
"use strict";
const fs = require("fs");
const vm = require("vm");

const html = fs.readFileSync(process.argv[2], "utf8");
const part = (id) => new RegExp(`<script id="${id}"[^>]*>([^]*?)</script>`).exec(html)[1];
vm.runInThisContext(part("engine"), { filename: "engine" });
const run = (code) => vm.runInThisContext(code);
const model = run("createModel")(JSON.parse(part("model")), part("weights"));

const replies = {
  // what the model writes after a question
  write: ({ question, limit }) => [...run("writing")(model, question, limit)].join(""),
  // an answer as text, or the page's words for why there is none
  answer({ text, decimals }) {
    const reduction = run("reduceToAnswer")(run("parse")(text), decimals);
    let next = reduction.next();
    while (!next.done) next = reduction.next(run("exactly")(next.value));
    return next.value;
  },
  encode: ({ text }) => model.tokenizer.encode(text),
  trace: ({ problem, size }) => run("correctTrace")(big(problem), size),
  limit: ({ problem }) => run("tokenLimit")(big(problem), model.size),
  covers: ({ problem }) => run("covers")(model.info, big(problem)),
  judge({ problem, text, size }) {
    const { ok, at, rollbacks } = run("judge")(big(problem), run("withoutSpaces")(text), size);
    return { ok, at, rollbacks };
  },
};
const big = ([a, op, b]) => ({ a: BigInt(a), op, b: BigInt(b) });

const started = process.hrtime.bigint();
let written = 0;
for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = { reply: replies[request.do](request) };
  } catch (error) {
    if (error.constructor.name !== "Refusal") throw error;
    reply = { refused: error.message };
  }
  if (request.do === "write") written += model.tokenizer.encode(reply.reply).length + 1;
  console.log(JSON.stringify(reply));
}
const seconds = Number(process.hrtime.bigint() - started) / 1e9;
console.error(JSON.stringify({ written, seconds }));
