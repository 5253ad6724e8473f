// A Llama in plain JavaScript: one token at a time, with a cache of keys and values.

// The tensors by name, from base64 of float16 or float32 numbers that follow each other in the order of `shapes`.
function readTensors(base64, shapes, type) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const numbers = type === "float32" ? new Float32Array(bytes.buffer) : fromHalves(new Uint16Array(bytes.buffer));
  const tensors = {};
  let at = 0;
  for (const [name, shape] of shapes) {
    const size = shape.reduce((product, n) => product * n, 1);
    tensors[name] = numbers.subarray(at, (at += size));
  }
  return tensors;
}

function fromHalves(halves) {
  const table = new Float32Array(1 << 16);
  for (let half = 0; half < table.length; half++) {
    const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
    const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
    table[half] = half >> 15 ? -size : size;
  }
  return Float32Array.from(halves, (half) => table[half]);
}

const ROWS = 8; // that are summed at a time, which a processor does side by side

// `config`: as config.json has it, with head_dim and num_key_value_heads filled in.
function createLlama(config, tensors) {
  const { hidden_size: width, intermediate_size: ffn, num_hidden_layers: depth, head_dim: size } = config;
  const { num_attention_heads: heads, num_key_value_heads: groups, vocab_size: vocabulary, rms_norm_eps: eps } = config;
  const half = size / 2;
  const frequencies = Float32Array.from({ length: half }, (_, i) => 1 / config.rope_theta ** ((2 * i) / size));
  const layers = Array.from({ length: depth }, (_, i) => {
    const weight = (name) => tensors[`model.layers.${i}.${name}.weight`];
    const matrix = (name, columns) => sideBySide(weight(name), columns);
    return {
      before: weight("input_layernorm"),
      after: weight("post_attention_layernorm"),
      q: matrix("self_attn.q_proj", width),
      k: matrix("self_attn.k_proj", width),
      v: matrix("self_attn.v_proj", width),
      o: matrix("self_attn.o_proj", heads * size),
      gate: matrix("mlp.gate_proj", width),
      up: matrix("mlp.up_proj", width),
      down: matrix("mlp.down_proj", ffn),
      keys: [], // of each position, one array
      values: [],
    };
  });
  const embeddings = tensors["model.embed_tokens.weight"];
  const output = sideBySide(config.tie_word_embeddings ? embeddings : tensors["lm_head.weight"], width);
  const x = new Float32Array(width);
  const normed = new Float32Array(width);
  const [q, mixed] = [new Float32Array(heads * size), new Float32Array(heads * size)];
  const [gate, up] = [new Float32Array(ffn), new Float32Array(ffn)];
  const added = new Float32Array(width);
  const logits = new Float32Array(vocabulary);
  let scores = new Float32Array(256);
  let position = 0;

  function norm(weight) {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += x[i] * x[i];
    const scale = 1 / Math.sqrt(sum / width + eps);
    for (let i = 0; i < width; i++) normed[i] = x[i] * scale * weight[i];
  }

  function rotate(vector) {
    for (let i = 0; i < half; i++) {
      const angle = Math.fround(position * frequencies[i]);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (let at = i; at < vector.length; at += size) {
        const [a, b] = [vector[at], vector[at + half]];
        vector[at] = a * cos - b * sin;
        vector[at + half] = b * cos + a * sin;
      }
    }
  }

  function attend({ keys, values }) {
    const length = keys.length;
    const scale = 1 / Math.sqrt(size);
    if (length > scores.length) scores = new Float32Array(2 * length);
    mixed.fill(0);
    for (let head = 0; head < heads; head++) {
      const at = head * size;
      const from = Math.floor((head * groups) / heads) * size;
      let top = -Infinity;
      for (let t = 0; t < length; t++) {
        const key = keys[t];
        let sum = 0;
        for (let i = 0; i < size; i++) sum += q[at + i] * key[from + i];
        scores[t] = sum * scale;
        if (scores[t] > top) top = scores[t];
      }
      let total = 0;
      for (let t = 0; t < length; t++) total += scores[t] = Math.exp(scores[t] - top);
      for (let t = 0; t < length; t++) {
        const share = scores[t] / total;
        const value = values[t];
        for (let i = 0; i < size; i++) mixed[at + i] += share * value[from + i];
      }
    }
  }

  function add() {
    for (let i = 0; i < width; i++) x[i] += added[i];
  }

  // Take the next token. The last token of a prompt, and what is written, ask for the likeliest token that follows.
  function feed(token, ask = true) {
    x.set(embeddings.subarray(token * width, (token + 1) * width));
    for (const layer of layers) {
      const [key, value] = [new Float32Array(groups * size), new Float32Array(groups * size)];
      norm(layer.before);
      multiply(q, layer.q, normed);
      multiply(key, layer.k, normed);
      multiply(value, layer.v, normed);
      rotate(q);
      rotate(key);
      layer.keys.push(key);
      layer.values.push(value);
      attend(layer);
      multiply(added, layer.o, mixed);
      add();
      norm(layer.after);
      multiply(gate, layer.gate, normed);
      multiply(up, layer.up, normed);
      for (let i = 0; i < ffn; i++) gate[i] *= up[i] / (1 + Math.exp(-gate[i]));
      multiply(added, layer.down, gate);
      add();
    }
    position++;
    if (!ask) return -1;
    norm(tensors["model.norm.weight"]);
    multiply(logits, output, normed);
    let best = 0;
    for (let id = 1; id < vocabulary; id++) if (logits[id] > logits[best]) best = id;
    return best;
  }

  function start() {
    position = 0;
    for (const layer of layers) [layer.keys, layer.values] = [[], []];
  }

  // Exchange what is read out as two tokens: a model that errs.
  function swap(one, other) {
    const at = (token, i) => (token - (token % ROWS)) * width + i * ROWS + (token % ROWS);
    for (let i = 0; i < width; i++) {
      [output[at(one, i)], output[at(other, i)]] = [output[at(other, i)], output[at(one, i)]];
    }
  }

  return { start, feed, swap };
}

// A matrix as `multiply` reads it: eight rows side by side, column by column, the rows padded with zeros.
function sideBySide(matrix, columns) {
  const rows = matrix.length / columns;
  const out = new Float32Array(Math.ceil(rows / ROWS) * ROWS * columns);
  for (let row = 0; row < rows; row++) {
    let at = (row - (row % ROWS)) * columns + (row % ROWS);
    for (let i = row * columns; i < (row + 1) * columns; i++, at += ROWS) out[at] = matrix[i];
  }
  return out;
}

// out = matrix @ vector, with a sum for each of eight rows at a time; what lies beyond the end of `out` is dropped.
function multiply(out, matrix, vector) {
  const columns = vector.length;
  for (let row = 0, at = 0; at < matrix.length; row += ROWS) {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (let i = 0; i < columns; i++, at += ROWS) {
      const x = vector[i];
      a += matrix[at] * x;
      b += matrix[at + 1] * x;
      c += matrix[at + 2] * x;
      d += matrix[at + 3] * x;
      e += matrix[at + 4] * x;
      f += matrix[at + 5] * x;
      g += matrix[at + 6] * x;
      h += matrix[at + 7] * x;
    }
    out[row] = a;
    out[row + 1] = b;
    out[row + 2] = c;
    out[row + 3] = d;
    out[row + 4] = e;
    out[row + 5] = f;
    out[row + 6] = g;
    out[row + 7] = h;
  }
}
