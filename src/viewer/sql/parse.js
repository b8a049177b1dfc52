// A query's text as a tree: one SELECT over tables that are there, in SQLite's grammar.
//
// SELECT [DISTINCT] … FROM table [[LEFT] JOIN table ON …] WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …
// A node is { op, at, … }, `at` being where it stands in the text. What SQLite has besides is refused by name.
// Owns nothing. Called by query.js.
"use strict";

const SqlParse = (() => {
  const TOKEN = /\s+|--[^\n]*|\/\*[^]*?\*\/|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<text>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<sign>->>|->|\|\||<<|>>|<=|>=|<>|!=|==|[-+*\/%&|~<>=(),.;])/uy;
  const NOT_HERE = new Set(["with", "union", "except", "intersect", "insert", "update", "delete", "create", "drop", "alter",
    "attach", "pragma", "explain", "vacuum", "replace", "values", "over", "window", "natural", "right", "full",
    "exists", "using"]);
  const RESERVED = new Set(["select", "distinct", "from", "where", "group", "by", "having", "order", "limit", "offset", "as", "and",
    "or", "not", "in", "like", "glob", "between", "is", "isnull", "notnull", "null", "case", "when", "then", "else", "end",
    "join", "left", "inner", "cross", "outer", "on", "asc", "desc", "escape", "collate", "cast", "nulls", ...NOT_HERE]);
  // Weakest first; a later line binds tighter.
  const SIGNS = [["<", "<=", ">", ">="], ["&", "|", "<<", ">>"], ["+", "-"], ["*", "/", "%"], ["||", "->", "->>"]];
  const DEEPEST = 200;

  function tokens(query) {
    const out = [];
    TOKEN.lastIndex = 0;
    for (let at = 0; at < query.length; at = TOKEN.lastIndex) {
      TOKEN.lastIndex = at;
      const found = TOKEN.exec(query);
      if (!found) throw new SqlError(`unrecognized token: "${query.slice(at, at + 12).split("\n")[0]}"`, query, at);
      const { number, text, quoted, word, sign } = found.groups, end = TOKEN.lastIndex;
      if (number !== undefined) out.push({ kind: "number", text: number, at, end });
      else if (text !== undefined) out.push({ kind: "text", text: text.slice(1, -1).replaceAll("''", "'"), at, end });
      else if (quoted !== undefined) out.push({ kind: "name", text: quoted.slice(1, -1).replaceAll('""', '"'), at, end });
      else if (word !== undefined) {
        const lower = word.toLowerCase();
        out.push(RESERVED.has(lower) ? { kind: "key", text: lower, word, at, end } : { kind: "name", text: word, plain: true, at, end });
      } else if (sign !== undefined) out.push({ kind: "sign", text: sign, at, end });
    }
    out.push({ kind: "end", text: "the end", at: query.length, end: query.length });
    return out;
  }

  class Parser {
    constructor(query) {
      this.query = query;
      this.tokens = tokens(query);
      this.i = 0;
      this.depth = 0;
    }

    get now() { return this.tokens[this.i]; }

    is(text, ahead = 0) {
      const token = this.tokens[Math.min(this.i + ahead, this.tokens.length - 1)];
      return (token.kind === "key" || token.kind === "sign") && token.text === text;
    }

    take(text) {
      if (!this.is(text)) return false;
      this.i++;
      return true;
    }

    fail(wanted) {
      const { now } = this;
      if (now.kind === "key" && NOT_HERE.has(now.text)) {
        throw new SqlError(`${now.text.toUpperCase()} is not read on this page`, this.query, now.at,
          "tandem sql has all of SQLite");
      }
      throw new SqlError(now.kind === "end" ? `incomplete input: ${wanted} is missing`
        : `near "${now.word ?? now.text}": ${wanted} is wanted`, this.query, now.at);
    }

    want(text) { if (!this.take(text)) this.fail(text.toUpperCase()); }

    name(what) {
      const { now } = this;
      if (now.kind !== "name") this.fail(what);
      this.i++;
      return now.text;
    }

    // [AS] name, or none. Texts are names here, as SQLite has it.
    alias() {
      if (this.take("as")) {
        if (this.now.kind === "text") return this.tokens[this.i++].text;
        return this.name("a name");
      }
      return this.now.kind === "name" ? this.tokens[this.i++].text : null;
    }

    // ---- expressions

    expression() {
      if (++this.depth > DEEPEST) throw new SqlError(`expressions within expressions: more than ${DEEPEST}`, this.query, this.now.at);
      const made = this.or();
      this.depth--;
      return made;
    }

    or() {
      let left = this.and();
      while (this.is("or")) left = { op: "or", at: this.tokens[this.i++].at, a: left, b: this.and() };
      return left;
    }

    and() {
      let left = this.not();
      while (this.is("and")) left = { op: "and", at: this.tokens[this.i++].at, a: left, b: this.not() };
      return left;
    }

    not() {
      const { at } = this.now;
      return this.take("not") ? { op: "not", at, a: this.not() } : this.equality();
    }

    equality() {
      let left = this.signs(0);
      for (;;) {
        const { at } = this.now;
        const not = this.is("not") && ["in", "like", "glob", "between", "null"].some((word) => this.is(word, 1));
        if (not) this.i++;
        if (this.take("=") || this.take("==")) left = { op: "compare", sign: "=", at, a: left, b: this.signs(0) };
        else if (this.take("<>") || this.take("!=")) left = { op: "compare", sign: "<>", at, a: left, b: this.signs(0) };
        else if (this.take("is")) {
          const differs = this.take("not");
          if (this.take("distinct")) this.want("from");
          left = { op: "is", not: differs, at, a: left, b: this.signs(0) };
        } else if (this.take("isnull")) left = { op: "is", not: false, at, a: left, b: { op: "literal", value: null } };
        else if (this.take("notnull") || (not && this.take("null"))) {
          left = { op: "is", not: true, at, a: left, b: { op: "literal", value: null } };
        } else if (this.take("in")) left = { op: "in", not, at, a: left, list: this.listOf() };
        else if (this.is("like") || this.is("glob")) {
          const glob = this.tokens[this.i++].text === "glob", b = this.signs(0);
          left = { op: "like", glob, not, at, a: left, b, escape: this.take("escape") ? this.signs(0) : null };
        } else if (this.take("between")) {
          const low = this.signs(0);
          this.want("and");
          left = { op: "between", not, at, a: left, low, high: this.signs(0) };
        } else return left;
      }
    }

    signs(level) {
      if (level === SIGNS.length) return this.unary();
      let left = this.signs(level + 1);
      for (;;) {
        const sign = this.now.kind === "sign" && SIGNS[level].includes(this.now.text) ? this.now.text : null;
        if (!sign) return left;
        const { at } = this.tokens[this.i++];
        left = { op: level === 0 ? "compare" : "binary", sign, at, a: left, b: this.signs(level + 1) };
      }
    }

    unary() {
      const { at } = this.now;
      for (const sign of ["-", "+", "~"]) if (this.take(sign)) return { op: "unary", sign, at, a: this.unary() };
      let made = this.primary();
      while (this.take("collate")) made = { op: "collate", name: this.name("a collation").toLowerCase(), at, a: made };
      return made;
    }

    primary() {
      const token = this.now, { at } = token;
      if (token.kind === "number" || token.kind === "text") {
        this.i++;
        return { op: "literal", at, value: token.kind === "text" ? token.text : SqlValues.number(token.text) };
      }
      if (this.take("null")) return { op: "literal", at, value: null };
      if (this.take("(")) {
        if (this.is("select")) throw new SqlError("a SELECT within another is not read on this page", this.query, this.now.at,
          "tandem sql has all of SQLite");
        const made = this.expression();
        this.want(")");
        return made;
      }
      if (this.take("case")) return this.cases(at);
      if (this.take("cast")) return this.cast(at);
      if (this.is("replace") && this.is("(", 1) || this.is("glob") && this.is("(", 1) || this.is("like") && this.is("(", 1)) {
        return this.call(this.tokens[this.i++].text, at);
      }
      if (token.kind !== "name") this.fail("an expression");
      this.i++;
      if (this.is("(")) return this.call(token.text, at);
      if (!this.take(".")) return { op: "column", table: null, name: token.text, quoted: !token.plain, at };
      return { op: "column", table: token.text, name: this.name("a column"), at };
    }

    call(name, at) {
      this.want("(");
      const made = { op: "call", name: name.toLowerCase(), at, distinct: this.take("distinct"), star: false, args: [] };
      if (this.take("*")) made.star = true;
      else if (!this.is(")")) made.args = this.list(() => this.expression());
      this.want(")");
      if (this.is("over")) this.fail("");
      return made;
    }

    cases(at) {
      const made = { op: "case", at, base: this.is("when") ? null : this.expression(), whens: [], otherwise: null };
      while (this.take("when")) {
        const when = this.expression();
        this.want("then");
        made.whens.push([when, this.expression()]);
      }
      if (made.whens.length === 0) this.fail("WHEN");
      if (this.take("else")) made.otherwise = this.expression();
      this.want("end");
      return made;
    }

    cast(at) {
      this.want("(");
      const a = this.expression();
      this.want("as");
      const type = this.name("a type").toLowerCase();
      this.want(")");
      return { op: "cast", at, a, type };
    }

    list(one) {
      const out = [one()];
      while (this.take(",")) out.push(one());
      return out;
    }

    listOf() {
      this.want("(");
      if (this.is("select")) throw new SqlError("a SELECT within another is not read on this page", this.query, this.now.at,
        "tandem sql has all of SQLite");
      const out = this.is(")") ? [] : this.list(() => this.expression());
      this.want(")");
      return out;
    }

    // ---- the query

    output() {
      const { at } = this.now;
      if (this.take("*")) return { star: true, table: null, at };
      if (this.now.kind === "name" && this.is(".", 1) && this.is("*", 2)) {
        const table = this.now.text;
        this.i += 3;
        return { star: true, table, at };
      }
      const node = this.expression(), { end } = this.tokens[this.i - 1];
      const alias = this.alias();
      return { node, alias, title: alias ?? (node.op === "column" ? null : this.query.slice(at, end)), at };
    }

    source() {
      const { at } = this.now;
      if (this.is("(")) throw new SqlError("a SELECT within another is not read on this page", this.query, at, "tandem sql has all of SQLite");
      const table = this.name("a table");
      return { table, alias: this.alias() ?? table, at };
    }

    sources() {
      const out = [this.source()];
      for (;;) {
        let left = false;
        if (this.take(",") || (this.take("cross") && (this.want("join"), true))) {
          out.push({ ...this.source(), left, on: null });
          continue;
        }
        if (this.take("left")) {
          this.take("outer");
          left = true;
        } else if (!this.take("inner") && !this.is("join")) return out;
        this.want("join");
        const one = this.source();
        out.push({ ...one, left, on: this.take("on") ? this.expression() : null });
      }
    }

    term() {
      const node = this.expression(), down = !this.take("asc") && this.take("desc");
      let last = down;
      if (this.take("nulls")) {
        const word = this.name("FIRST or LAST").toLowerCase();
        if (word !== "first" && word !== "last") {
          this.i--;
          this.fail("FIRST or LAST");
        }
        last = word === "last";
      }
      return { node, down, nullsLast: last };
    }

    select() {
      this.want("select");
      const made = { distinct: this.take("distinct"), from: [], where: null, group: [], having: null, order: [], limit: null, offset: null };
      made.outputs = this.list(() => this.output());
      if (this.take("from")) made.from = this.sources();
      if (this.take("where")) made.where = this.expression();
      if (this.take("group")) {
        this.want("by");
        made.group = this.list(() => this.expression());
      }
      if (this.take("having")) made.having = this.expression();
      if (this.take("order")) {
        this.want("by");
        made.order = this.list(() => this.term());
      }
      if (this.take("limit")) {
        made.limit = this.expression();
        if (this.take("offset")) made.offset = this.expression();
        else if (this.take(",")) [made.offset, made.limit] = [made.limit, this.expression()];
      }
      this.take(";");
      if (this.now.kind !== "end") this.fail("the end");
      return made;
    }
  }

  return (query) => new Parser(query).select();
})();
