// The tokenizer: one token a character, `r|` one token, and each digit's token names its place.

const SPECIAL = ["<pad>", "<bos>", "<eos>"];
const [BOS, EOS] = [1, 2];
const MARK = "r|";

function createTokenizer(places) {
  const characters = "\n" + String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 32));
  const others = [...characters].filter((character) => !/[0-9]/.test(character));
  const texts = [...SPECIAL.map(() => ""), MARK, ...others];
  const ids = new Map(texts.map((text, id) => [text, id]));
  const first = texts.length; // the id of 0 at place 0
  const most = Math.max(places, 1);
  for (let i = 0; i < 10 * most; i++) texts.push(String(i % 10));

  // A digit of a number has as its place the digits to its right; of a reversed number, the place that comes next.
  function encode(text) {
    const out = [];
    const digit = (character, place) => out.push(first + 10 * Math.min(place, most - 1) + Number(character));
    for (const [piece, backward, forward] of text.matchAll(/(r\|[0-9]+)|([0-9]+)|r\||[^]/g)) {
      if (forward) [...forward].forEach((character, i) => digit(character, forward.length - 1 - i));
      else if (backward) {
        out.push(ids.get(MARK));
        [...backward.slice(2)].forEach((character, i) => digit(character, i + 1));
      } else out.push(ids.get(piece));
    }
    return out;
  }

  return { encode, texts, size: texts.length };
}
