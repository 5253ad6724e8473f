// A trace read back: each character with its segment, the characters it came from, and whether it is taken back.

// Returns rows of characters, a row a step, as far as the judge follows the text: {char, at, segment, place, from,
// takenBack}. `place`: of a digit of a reversed number, 1 for the units. `from`: where the digits stand that it needs.
function readTrace(problem, text, verdict) {
  const chars = [];
  const rows = [[]];
  const sources = createSources(problem);
  const begins = {};
  let at = 0;
  for (const segment of verdict.segments) {
    if (segment === STEP_END) {
      if (rows.at(-1).length) rows.push([]);
      continue;
    }
    const piece = text.slice(at, Math.min(at + segment.text.length, verdict.at));
    if (!piece) break;
    begins[segment.kind] = chars.length;
    const marks = segment.text.startsWith(MARK) ? MARK.length : 0;
    const from = sources(segment, at + marks);
    [...piece].forEach((char, i) => {
      const reversed = segment.kind === "reversed" && i >= marks;
      const place = reversed ? i - marks + 1 : 0;
      const one = { char, at: at + i, segment, place, from: reversed || i === marks ? from(place) : [], takenBack: false };
      chars.push(one);
      rows.at(-1).push(one);
    });
    const mark = segment.kind === "rollback" ? "estimate" : segment.kind === "sign" ? "reversed" : null;
    if (mark) for (const one of chars.slice(begins[mark])) one.takenBack = true;
    at += piece.length;
  }
  return rows.filter((row) => row.length);
}

// For each segment in turn, with where its digits begin: where the digits stand that the digit of a place needs.
function createSources({ a, op, b }) {
  const [n, m] = [length(a), length(b)];
  const standing = (first, count) => (place) => (place >= 1 && place <= count ? [first - place] : []);
  const backward = (begin, count) => (place) => (place >= 1 && place <= count ? [begin + place - 1] : []);
  const all = (home, count) => Array.from({ length: count }, (_, i) => home(i + 1)).flat();
  const [homeA, homeB] = [standing(n, n), standing(n + 1 + m, m)];
  const nothing = () => [];
  if (op === "+" || op === "-") return () => (place) => (place ? [...homeA(place), ...homeB(place)] : []);
  if (op === "*") {
    const many = n >= m ? homeA : homeB;
    let digit = n >= m ? [n + 1] : [0];
    let [partial, total] = [nothing, nothing];
    return ({ kind, role, op: sign, b: by, text }, begin) => {
      if (role === "multiplier") digit = [begin];
      if (kind !== "reversed") return nothing;
      const home = backward(begin, text.length);
      if (sign === "+") {
        const before = total;
        total = home;
        return (place) => [...before(place), ...partial(place)];
      }
      partial = home;
      if (total === nothing) total = home;
      const zeros = by ? /0*$/.exec(by.toString())[0].length : 0;
      return (place) => (place > zeros ? [...digit, ...many(place - zeros)] : []);
    };
  }
  let used = Math.min(n, m);
  let [left, leftLength] = [standing(used, used), used];
  let [product, digit, next] = [nothing, [], null];
  return ({ kind, role, op: sign, text }, begin) => {
    if (kind === "unreached") {
      used += 1;
      [left, leftLength] = [standing(used, used), used];
      return () => [];
    }
    if (role === "next" && next) [left, leftLength] = next;
    if (kind === "estimate") {
      digit = [begin];
      const from = [...all(left, leftLength), ...all(homeB, m)];
      return () => from;
    }
    if (role === "down" || role === "end") next = [begin, text.length - MARK.length];
    if (kind === "reversed" && sign === "*") {
      product = backward(begin, text.length - MARK.length);
      return (place) => [...digit, ...homeB(place)];
    }
    if (sign === "-") {
      const [down, count] = next;
      next = [backward(down, count + text.length), count + text.length];
      return (place) => [...left(place), ...product(place)];
    }
    return nothing;
  };
}
