// Search while the user types, by the program's rules. Its tables have folded characters, function words and phrases,
// and the first characters of scripts without spaces.

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

  // Fold a text: NFKC, without accents, in lower case.
  function fold(text) {
    if (ASCII.test(text)) return text.toLowerCase();
    const same = text.normalize("NFKC");
    return (folds(same) ? same.replace(folded, (char) => to.get(char)) : same).toLowerCase();
  }

  // A test is faster than a replacement, and few texts need one.
  function folds(text) {
    for (let at = 0; at < text.length; at++) if (begins[text.charCodeAt(at)]) return true;
    return false;
  }

  function isDense(term) {
    const first = term.codePointAt(0);
    return tables.dense.some(([low, high]) => low <= first && first <= high);
  }

  // Split a run of letters between scripts with and without spaces.
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

  // Return the terms of a query: words, and pairs of scripts without spaces, preferably without function words.
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

  // Return the score of a folded text: 0 if a word or more than half of a run's pairs is missing. Pairs with a
  // character of a function word count only if there are no others.
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

  // The beginning of a word counts fully. Three or more letters inside a word (getUserName) count half.
  function wordIn(text, word) {
    let at = text.indexOf(word);
    if (at < 0) return 0;
    for (; at >= 0; at = text.indexOf(word, at + 1)) {
      const before = text[at - 1];
      if (before === undefined || !/[\p{L}\p{N}]/u.test(before) || isDense(before)) return 1;
    }
    return word.length > 2 ? 0.5 : 0;
  }

  return { fold, ask, rate };
}
