// Search as you type, with the program's own folding and pairs. TABLES come from the program (view/tables.py):
// folded characters, function words and phrases, where scripts without spaces begin.

const RUN = /[\p{L}\p{N}]+/gu;
const MIXED = /[0-9a-z]+|[^0-9a-z]+/g;
const ASCII = /^[\x00-\x7f]*$/;

function makeSearch(tables) {
  const to = new Map([...tables.chars].map((char, at) => [char, tables.to[at]]));
  const escaped = [...tables.chars].map((char) => char.replace(/[\\\]^-]/g, "\\$&")).join("");
  const folded = escaped ? new RegExp(`[${escaped}]`, "gu") : null;
  const begins = new Uint8Array(0x10000); // 1: a character that folds begins so
  for (const char of tables.chars) begins[char.charCodeAt(0)] = 1;
  const stops = new Set(tables.stops);

  // One form for what is written in several: NFKC, without accents, in lower case.
  function fold(text) {
    if (ASCII.test(text)) return text.toLowerCase();
    const same = text.normalize("NFKC");
    return (folds(same) ? same.replace(folded, (char) => to.get(char)) : same).toLowerCase();
  }

  // To look is quicker than to replace: most texts hold nothing that folds.
  function folds(text) {
    for (let at = 0; at < text.length; at++) if (begins[text.charCodeAt(at)]) return true;
    return false;
  }

  function isDense(term) {
    const first = term.codePointAt(0);
    return tables.dense.some(([low, high]) => low <= first && first <= high);
  }

  // Cut a run of letters where scripts with and without spaces meet.
  function parts(run) {
    const out = [];
    for (const part of run.match(MIXED)) {
      let last = null;
      for (const char of part) {
        const dense = isDense(char);
        if (dense === last) out[out.length - 1] += char;
        else out.push(char);
        last = dense;
      }
    }
    return out;
  }

  // The words of folded text, and of its unspaced runs every pair and the last character.
  function plainTerms(lower) {
    const out = [];
    for (const run of lower.match(RUN) || []) {
      for (const part of parts(run)) {
        if (!isDense(part)) {
          out.push(part);
          continue;
        }
        const chars = [...part];
        for (let at = 0; at < chars.length; at++) out.push(chars[at] + (chars[at + 1] || ""));
      }
    }
    return out;
  }

  // What a query asks for: words, and of each unspaced run the pairs that carry content, else all of them.
  function ask(query) {
    const lower = fold(query);
    const inside = functionPlaces(lower);
    const words = [];
    const idle = [];
    for (const match of lower.matchAll(RUN)) {
      let start = match.index;
      for (const part of parts(match[0])) {
        const pairs = isDense(part) ? pairsOf(part, start, inside) : null;
        const word = pairs ? { pairs: pairs.content, solid: pairs.solid } : { word: part };
        const empty = pairs ? !pairs.content.length : stops.has(part);
        if (empty) idle.push(pairs ? { pairs: pairs.every } : word);
        else words.push(word);
        start += part.length;
      }
    }
    return words.length ? words : idle;
  }

  function functionPlaces(lower) {
    const inside = new Uint8Array(lower.length);
    for (const phrase of ASCII.test(lower) ? [] : tables.phrases) {
      for (let at = lower.indexOf(phrase); at >= 0; at = lower.indexOf(phrase, at + 1)) {
        inside.fill(1, at, at + phrase.length);
      }
    }
    return inside;
  }

  function pairsOf(part, start, inside) {
    const chars = [...part];
    const every = new Set();
    const content = new Set();
    const solid = new Set();
    let at = start;
    chars.forEach((char, number) => {
      const next = chars[number + 1] || "";
      const ends = [inside[at], next ? inside[at + char.length] : inside[at]];
      at += char.length;
      if (!next && chars.length > 1) return;
      every.add(char + next);
      if (!ends[0] || !ends[1]) content.add(char + next);
      if (!ends[0] && !ends[1]) solid.add(char + next);
    });
    return { every: [...every], content: [...content], solid: [...solid] };
  }

  // How well folded text answers: 0 where a word is missing, or more than half of a run's pairs; of these only such
  // count as hold no character of a function word, where there are any.
  function rate(text, words) {
    let sum = 0;
    for (const { word, pairs, solid } of words) {
      const part = pairs ? pairsIn(text, solid && solid.length ? solid : pairs) : wordIn(text, word);
      if (part === 0) return 0;
      sum += part;
    }
    return sum / words.length;
  }

  function pairsIn(text, pairs) {
    let matches = 0;
    const least = Math.ceil(pairs.length / 2);
    for (let at = 0; at < pairs.length; at++) {
      if (text.includes(pairs[at])) matches++;
      else if (matches + pairs.length - at - 1 < least) return 0;
    }
    return matches / pairs.length;
  }

  // The beginning of a word counts whole; the inside of one, as in getUserName, half, from three letters on.
  function wordIn(text, word) {
    let at = text.indexOf(word);
    if (at < 0) return 0;
    for (; at >= 0; at = text.indexOf(word, at + 1)) {
      const before = text[at - 1];
      if (before === undefined || !/[\p{L}\p{N}]/u.test(before) || isDense(before)) return 1;
    }
    return word.length > 2 ? 0.5 : 0;
  }

  return { fold, plainTerms, ask, rate };
}
