// The work as a picture, drawn from what the page shows.

const [WIDTH, MARGIN, LINE] = [1080, 56, 46];

// `rows`: the code elements of all operations. Returns a promise of a PNG.
function drawWork(question, answer, verdict, rows) {
  const color = (name) => {
    const probe = document.body.appendChild(element("i", { style: `color: var(--${name})` }));
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };
  const mono = getComputedStyle(document.getElementById("question")).fontFamily;
  const canvas = element("canvas");
  const pen = canvas.getContext("2d");
  const fontOf = (size, weight = 400, family = mono) => `${weight} ${size}px ${family}`;
  const lines = []; // of pieces {text, color, struck}
  const wrap = (pieces, font, advance) => {
    pen.font = font;
    const most = Math.floor((WIDTH - 2 * MARGIN) / pen.measureText("0").width);
    const shown = pieces.slice(0, 12 * most); // of very long numbers the beginning
    for (let i = 0; i < shown.length || i === 0; i += most) lines.push({ pieces: shown.slice(i, i + most), font, advance });
  };
  const plain = (text, shade) => [...text].map((char) => ({ text: char, color: shade }));
  wrap([...plain(`${question} `, color("soft")), ...plain(`= ${answer}`, color("ink"))], fontOf(40, 600), 62);
  lines.push({ pieces: [{ text: verdict, color: color("right") }], font: fontOf(24, 400, getComputedStyle(document.body).fontFamily), advance: 64 });
  for (const row of rows) {
    const pieces = [...row.children].filter((child) => !child.matches(".cursor")).flatMap((child) => {
      const struck = child.matches(".back");
      return [...child.textContent].map((text) => ({ text, color: getComputedStyle(child).color, struck }));
    });
    wrap(pieces, fontOf(30), LINE);
  }
  canvas.width = WIDTH;
  canvas.height = 2 * MARGIN + lines.reduce((sum, { advance }) => sum + advance, 0);
  pen.fillStyle = color("card");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let y = MARGIN;
  for (const { pieces, font, advance } of lines) {
    let x = MARGIN;
    pen.font = font;
    pen.textBaseline = "top";
    for (const piece of pieces) {
      const width = pen.measureText(piece.text).width;
      pen.fillStyle = piece.color;
      pen.fillText(piece.text, x, y);
      if (piece.struck) pen.fillRect(x, y + 16, width, 3);
      x += width;
    }
    y += advance;
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
