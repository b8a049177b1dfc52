// Expressions as functions of a row. A row is `env`: a cursor for each source of the query, which columns read.
//
// A compiled expression is { value(env), affinity }: "number", "text" or null, which decides how values of
// different kinds compare. In a query with groups, what stands beside functions of groups is of a row that the group has
// kept. Owns nothing. Called by query.js.
"use strict";

const SqlCompile = (() => {
  const { number, numeric, truncated, text, truth, calculate, bits, compare, double, pattern } = SqlValues;

  class Scope {
    // sources: [{ alias, table: { columns: Map(name → { affinity, value(cursor), need? }) } }]; own: functions (…values)
    constructor(query, sources, own) {
      this.query = query;
      this.sources = sources;
      this.own = own;
      this.aliases = new Map(); // of outputs: name → node
      this.groups = null;       // [{ make, args }] where functions of groups may stand
      this.kept = [];           // columns that a group keeps of a row
      this.inGroup = false;
    }

    fail(message, at, otherwise) { throw new SqlError(message, this.query, at, otherwise); }

    // [[index of the source, column]] of a name.
    find({ table, name }) {
      const out = [];
      this.sources.forEach((source, index) => {
        if (table !== null && source.alias.toLowerCase() !== table.toLowerCase()) return;
        const column = source.table.columns.get(name.toLowerCase());
        if (column) out.push([index, column]);
      });
      return out;
    }

    names(table) {
      const own = this.sources.filter(({ alias }) => table === null || alias.toLowerCase() === table.toLowerCase());
      return [...new Set(own.flatMap((one) => [...one.table.columns.keys()]))];
    }
  }

  function column(node, scope) {
    const found = scope.find(node);
    if (found.length > 1) scope.fail(`ambiguous column name: ${node.name}`, node.at);
    if (found.length === 0) {
      const alias = node.table === null && scope.aliases.get(node.name.toLowerCase());
      if (alias) return compile(alias, scope);
      if (node.quoted) return { value: () => node.name, affinity: null };
      const said = node.table === null ? node.name : `${node.table}.${node.name}`;
      const tables = scope.sources.map((one) => one.alias);
      const known = node.table === null || tables.some((one) => one.toLowerCase() === node.table.toLowerCase());
      scope.fail(`no such column: ${said}`, node.at, known ? SqlWords.nearest(node.name, scope.names(node.table))
        : SqlWords.nearest(node.table, tables));
    }
    const [[index, { value, affinity, need }]] = found;
    need?.();
    const read = (env) => (env[index] === null ? null : value(env[index])); // null: no partner in a LEFT JOIN
    if (!scope.inGroup) return { value: read, affinity };
    const slot = scope.kept.push(read) - 1;
    return { value: (env) => env.kept[slot], affinity };
  }

  function call(node, scope) {
    const { scalar, grouped, once } = SqlFunctions, { name, args, star } = node;
    const isGrouped = grouped[name] && (star || args.length < 2 || !scalar[name]);
    const own = scope.own[name];
    const [least, most, made] = (isGrouped ? grouped[name] : own || scalar[name]) || [];
    if (!made) {
      scope.fail(`no such function: ${name}`, node.at, SqlWords.nearest(name,
        [...new Set([...Object.keys(scalar), ...Object.keys(grouped), ...Object.keys(scope.own)])]));
    }
    if ((star && name !== "count") || args.length < least || args.length > most || (node.distinct && !isGrouped)
      || (name === "count" && !star && args.length === 0 && node.distinct)) {
      scope.fail(`wrong number of arguments to function ${name}()`, node.at);
    }
    if (!isGrouped) {
      const inner = args.map((one) => compile(one, scope));
      if (inner.length === 1) {
        const [a] = inner;
        return { value: (env) => made(a.value(env)), affinity: null };
      }
      return { value: (env) => made(...inner.map((one) => one.value(env))), affinity: null };
    }
    if (!scope.groups) scope.fail(`misuse of aggregate function ${name.toUpperCase()}()`, node.at);
    if (!scope.inGroup) scope.fail(`misuse of aggregate function ${name.toUpperCase()}()`, node.at);
    scope.inGroup = false; // its arguments are of rows, and hold no others
    const inner = args.map((one) => compile(one, scope));
    scope.inGroup = true;
    const slot = scope.groups.push({ make: node.distinct ? () => once(made()) : made, args: inner,
      extreme: name === "min" || name === "max" }) - 1;
    return { value: (env) => env.groups[slot].end(), affinity: null };
  }

  // Makes two values of a comparison alike, where one side's column says what it is.
  function alike(a, b) {
    const plain = (one) => one.value;
    if (a.affinity === "number" && b.affinity !== "number") return [plain(a), (env) => numeric(b.value(env))];
    if (b.affinity === "number" && a.affinity !== "number") return [(env) => numeric(a.value(env)), plain(b)];
    if (a.affinity === "text" && b.affinity === null) return [plain(a), (env) => text(b.value(env))];
    if (b.affinity === "text" && a.affinity === null) return [(env) => text(a.value(env)), plain(b)];
    return [plain(a), plain(b)];
  }

  const folded = (v) => (typeof v === "string" ? v.replace(/[A-Z]+/g, (c) => c.toLowerCase()) : v);

  // Both sides, and how they compare: one that does not tell a from A makes both so.
  function sides(node, other, scope) {
    const a = compile(node, scope), b = compile(other, scope), [left, right] = alike(a, b);
    const collation = a.collation || b.collation;
    return [left, right, collation === "nocase" ? (x, y) => compare(folded(x), folded(y)) : compare];
  }

  const SIGNS = { "=": (n) => n === 0, "<>": (n) => n !== 0, "<": (n) => n < 0, "<=": (n) => n <= 0, ">": (n) => n > 0,
    ">=": (n) => n >= 0 };

  function like(node, scope) {
    const a = compile(node.a, scope), b = compile(node.b, scope), escape = node.escape && compile(node.escape, scope);
    let last = null, test = null;
    return { affinity: null, value: (env) => {
      const value = text(a.value(env)), wanted = text(b.value(env));
      if (value === null || wanted === null) return null;
      if (wanted !== last) {
        test = pattern(wanted, node.glob, escape && text(escape.value(env)));
        last = wanted;
      }
      return test.test(value) !== node.not ? 1 : 0;
    } };
  }

  const logical = (v) => (v === null ? null : v ? 1 : 0);
  const not = (v, flip) => (v === null ? null : (v === 1) !== flip ? 1 : 0);

  const kinds = {
    literal: ({ value }) => ({ value: () => value, affinity: null }),
    column,
    call,
    collate(node, scope) {
      if (node.name !== "nocase" && node.name !== "binary") scope.fail(`no such collation sequence: ${node.name}`, node.at);
      return { ...compile(node.a, scope), collation: node.name };
    },
    unary(node, scope) {
      const a = compile(node.a, scope);
      if (node.sign === "+") return { value: a.value, affinity: null };
      if (node.sign === "~") return { value: (env) => { const v = a.value(env); return v === null ? null : SqlValues.small(~BigInt(truncated(v))); }, affinity: null };
      return { value: (env) => {
        const v = number(a.value(env));
        return v instanceof Real ? new Real(-v.value) : calculate("-", 0, v);
      }, affinity: null };
    },
    binary(node, scope) {
      const a = compile(node.a, scope), b = compile(node.b, scope), { sign } = node;
      if (sign === "||") {
        return { affinity: null, value: (env) => {
          const x = text(a.value(env)), y = text(b.value(env));
          return x === null || y === null ? null : x + y;
        } };
      }
      if (sign === "->" || sign === "->>") {
        const [, , inside] = SqlFunctions.scalar.json_extract;
        if (sign === "->") scope.fail("-> is not read on this page", node.at, "->> gives the value");
        return { affinity: null, value: (env) => {
          const path = text(b.value(env));
          return inside(a.value(env), path === null || path.startsWith("$") ? path : `$."${path}"`);
        } };
      }
      const made = "+-*/%".includes(sign) ? calculate : bits;
      return { value: (env) => made(sign, a.value(env), b.value(env)), affinity: null };
    },
    compare(node, scope) {
      const [a, b, order] = sides(node.a, node.b, scope), test = SIGNS[node.sign];
      return { affinity: null, value: (env) => {
        const x = a(env), y = b(env);
        return x === null || y === null ? null : test(order(x, y)) ? 1 : 0;
      } };
    },
    is(node, scope) {
      const [a, b, order] = sides(node.a, node.b, scope);
      return { value: (env) => ((order(a(env), b(env)) === 0) !== node.not ? 1 : 0), affinity: null };
    },
    between(node, scope) {
      return kinds.and({ a: { op: "compare", sign: ">=", a: node.a, b: node.low },
        b: { op: "compare", sign: "<=", a: node.a, b: node.high }, flip: node.not }, scope);
    },
    in(node, scope) {
      // As a = +b: columns of the list do not say what they are.
      const each = node.list.map((one) => sides(node.a, { op: "unary", sign: "+", a: one }, scope)), left = compile(node.a, scope);
      return { affinity: null, value: (env) => {
        let unknown = false;
        if (each.length > 0 && left.value(env) === null) return null;
        for (const [a, b, order] of each) {
          const y = b(env);
          if (y === null) unknown = true;
          else if (order(a(env), y) === 0) return node.not ? 0 : 1;
        }
        return unknown ? null : node.not ? 1 : 0;
      } };
    },
    like,
    not(node, scope) {
      const a = compile(node.a, scope);
      return { value: (env) => { const v = truth(a.value(env)); return v === null ? null : v ? 0 : 1; }, affinity: null };
    },
    and(node, scope) {
      const a = compile(node.a, scope), b = compile(node.b, scope), flip = node.flip === true;
      return { affinity: null, value: (env) => {
        const x = truth(a.value(env));
        if (x === false) return not(0, flip);
        const y = truth(b.value(env));
        return y === false ? not(0, flip) : not(x === null || y === null ? null : 1, flip);
      } };
    },
    or(node, scope) {
      const a = compile(node.a, scope), b = compile(node.b, scope);
      return { affinity: null, value: (env) => {
        const x = truth(a.value(env));
        if (x === true) return 1;
        const y = truth(b.value(env));
        return y === true ? 1 : x === null || y === null ? null : logical(false);
      } };
    },
    case(node, scope) {
      const whens = node.whens.map(([when, then]) => [compile(node.base ? { op: "compare", sign: "=", a: node.base, b: when }
        : when, scope), compile(then, scope)]);
      const otherwise = node.otherwise && compile(node.otherwise, scope);
      return { affinity: null, value: (env) => {
        for (const [when, then] of whens) if (truth(when.value(env))) return then.value(env);
        return otherwise ? otherwise.value(env) : null;
      } };
    },
    cast(node, scope) {
      const a = compile(node.a, scope), { type } = node;
      if (/int/.test(type)) return { affinity: "number", value: (env) => { const v = a.value(env); return v === null ? null : truncated(v); } };
      if (/char|clob|text/.test(type)) return { affinity: "text", value: (env) => text(a.value(env)) };
      if (/real|floa|doub/.test(type)) {
        return { affinity: "number", value: (env) => { const v = a.value(env); return v === null ? null : new Real(double(number(v))); } };
      }
      return { affinity: "number", value: (env) => number(a.value(env)) };
    },
  };

  function compile(node, scope) { return kinds[node.op](node, scope); }
  return { Scope, compile };
})();
