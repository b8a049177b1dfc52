// One query asked of tables that a page has: rows are read part by part, so that a page lives meanwhile.
//
// A table is { columns: Map(name in small letters → { name, affinity, value(cursor), need? }), parts(): parts in turn,
// as { rows, row(i): a cursor } }, `small` where its cursors stay as they are and it may be joined. `need` is called
// once for a query that reads the column. Owns nothing. Called by the page's panel.
"use strict";

const SqlQuery = (() => {
  const MOST_GROUPS = 1e6, BREATH_MS = 50;
  const { compile, Scope } = SqlCompile;
  const { compare, key, keyText, truth } = SqlValues;

  const isGroupCall = ({ op, name, star, args }) => op === "call" && Object.hasOwn(SqlFunctions.grouped, name)
    && (star || args.length < 2 || !SqlFunctions.scalar[name]);

  function hasGroups(node) {
    if (node === null || typeof node !== "object" || node instanceof Real) return false;
    return isGroupCall(node) || Object.values(node).some(hasGroups);
  }

  const conjuncts = (node) => (node === null ? [] : node.op === "and" ? [...conjuncts(node.a), ...conjuncts(node.b)] : [node]);

  class Query {
    constructor(text, tables, own) {
      this.text = text;
      const tree = this.tree = SqlParse(text);
      this.sources = tree.from.map(({ table, alias, at, left, on }, i) => {
        const found = tables[table.toLowerCase()];
        if (!Object.hasOwn(tables, table.toLowerCase())) {
          throw new SqlError(`no such table: ${table}`, text, at, SqlWords.nearest(table, Object.keys(tables)));
        }
        if (i > 0 && !found.small) {
          throw new SqlError(`${table} can only stand first on this page`, text, at, "tandem sql has all of SQLite");
        }
        return { alias, table: found, left, on, at };
      });
      this.scope = new Scope(text, this.sources, own);
      this.outputs = tree.outputs.flatMap((one) => this.expanded(one));
      for (const { alias, node } of this.outputs) if (alias) this.scope.aliases.set(alias.toLowerCase(), node);
      this.compile();
    }

    expanded(output) {
      if (!output.star) return [{ ...output, title: output.title ?? this.declared(output.node) }];
      const own = this.sources.filter(({ alias }) => output.table === null || alias.toLowerCase() === output.table.toLowerCase());
      if (own.length === 0) {
        throw new SqlError(output.table ? `no such table: ${output.table}` : "no tables specified", this.text, output.at);
      }
      return own.flatMap(({ alias, table }) => [...table.columns.values()].map(({ name }) =>
        ({ node: { op: "column", table: alias, name, at: output.at }, alias: null, title: name })));
    }

    declared(node) {
      const [found] = this.scope.find(node);
      return found ? found[1].name : node.name;
    }

    // Outputs by their number; in ORDER BY an output's own name comes before a column's.
    meant(node, clause, aliasFirst) {
      if (node.op === "literal" && typeof node.value === "number") {
        const output = this.outputs[node.value - 1];
        if (!output) {
          this.scope.fail(`${clause} term out of range: ${node.value}`, node.at, `there are ${this.outputs.length} columns`);
        }
        return output.node;
      }
      const alias = aliasFirst && node.op === "column" && node.table === null && this.scope.aliases.get(node.name.toLowerCase());
      return alias || node;
    }

    compile() {
      const { tree, scope } = this, one = (node) => compile(node, scope);
      this.joins = this.sources.map((source, i) => (i === 0 ? null : this.join(source, i)));
      this.where = tree.where && one(tree.where);
      this.keys = tree.group.map((node) => {
        const wanted = this.meant(node, "GROUP BY", false);
        return one(wanted);
      });
      const order = tree.order.map((term) => ({ ...term, node: this.meant(term.node, "ORDER BY", true) }));
      this.grouped = tree.group.length > 0 || [this.outputs, tree.having, order].some(hasGroups);
      if (tree.having && !this.grouped) scope.fail("a GROUP BY clause is required before HAVING", tree.having.at);
      if (this.grouped) Object.assign(scope, { groups: [], inGroup: true });
      this.out = this.outputs.map(({ node }) => one(node));
      this.having = tree.having && one(tree.having);
      this.order = order.map((term) => {
        const { value, collation } = one(term.node);
        return { ...term, value: collation !== "nocase" ? value : (env) => {
          const v = value(env);
          return typeof v === "string" ? v.toLowerCase() : v;
        } };
      });
      const extremes = (scope.groups || []).filter((group) => group.extreme);
      this.extreme = extremes.length === 1 ? scope.groups.indexOf(extremes[0]) : -1;
      this.limit = this.constant(tree.limit);
      this.offset = Math.max(0, this.constant(tree.offset) ?? 0);
    }

    constant(node) {
      if (node === null) return null;
      const value = SqlValues.numeric(compile(node, new Scope(this.text, [], this.scope.own)).value([]));
      if (!SqlValues.isWhole(value)) this.scope.fail("datatype mismatch: LIMIT is a whole number", node.at);
      return value < 0 ? null : Number(value);
    }

    // How a source's rows are found: by equal values of one of its columns, else all are tried.
    join({ on, left }, index) {
      const { scope } = this, made = { on: on && compile(on, scope), left, own: null, other: null };
      for (const node of [...conjuncts(on), ...(left ? [] : conjuncts(this.tree.where))]) {
        if (node.op !== "compare" || node.sign !== "=" || made.own) continue;
        for (const [own, other] of [[node.a, node.b], [node.b, node.a]]) {
          if (own.op !== "column" || !this.only(own, (i) => i === index) || !this.only(other, (i) => i < index)) continue;
          const a = compile(own, scope), b = compile(other, scope);
          if (!made.own && a.affinity && a.affinity === b.affinity) Object.assign(made, { own: a, other: b });
        }
      }
      return made;
    }

    // Whether a node reads columns of such sources and nothing else.
    only(node, keep) {
      if (node === null || typeof node !== "object" || node instanceof Real) return true;
      if (node.op === "column") {
        const found = this.scope.find(node);
        return found.length === 1 && keep(found[0][0]);
      }
      return Object.values(node).every((one) => this.only(one, keep));
    }

    // ---- rows

    async load(index) {
      const rows = [], join = this.joins[index];
      for await (const part of this.sources[index].table.parts()) for (let i = 0; i < part.rows; i++) rows.push(part.row(i));
      if (!join.own) return () => rows;
      const byKey = new Map(), env = this.sources.map(() => null);
      for (const row of rows) {
        env[index] = row;
        const value = key(join.own.value(env));
        if (value === null) continue;
        if (!byKey.has(value)) byKey.set(value, []);
        byKey.get(value).push(row);
      }
      return (outer) => byKey.get(key(join.other.value(outer))) || [];
    }

    visit(env, index) {
      if (index >= this.sources.length) {
        if (!this.where || truth(this.where.value(env))) this.take(env);
        return;
      }
      const { on, left } = this.joins[index];
      let found = false;
      for (const row of this.rowsOf[index](env)) {
        env[index] = row;
        if (on && !truth(on.value(env))) continue;
        found = true;
        this.visit(env, index + 1);
      }
      env[index] = null;
      if (left && !found) this.visit(env, index + 1);
    }

    open() {
      const states = this.scope.groups.map(({ make }) => make());
      return { groups: states, kept: this.scope.kept.map(() => null), fresh: true };
    }

    takeGrouped(env) {
      const { keys } = this, parts = keys.map(({ value }) => value(env));
      const name = keys.length === 1 ? key(parts[0]) : parts.map(keyText).join();
      let group = this.groups.get(name);
      if (!group) {
        if (this.groups.size >= MOST_GROUPS) throw new SqlError(`more than ${MOST_GROUPS} groups`, this.text);
        this.groups.set(name, group = this.open());
      }
      this.scope.groups.forEach(({ args }, slot) => group.groups[slot].add(args.map((one) => one.value(env))));
      if (group.fresh || (this.extreme >= 0 && group.groups[this.extreme].wins)) {
        group.kept = this.scope.kept.map((read) => read(env));
        group.fresh = false;
      }
    }

    compareKeys(a, b) {
      for (let i = 0; i < this.order.length; i++) {
        const { down, nullsLast } = this.order[i], x = a[i], y = b[i];
        if (x === null || y === null) {
          if (x === y) continue;
          return (x === null) === nullsLast ? 1 : -1;
        }
        const n = compare(x, y);
        if (n !== 0) return down ? -n : n;
      }
      return 0;
    }

    sortRows() { this.rows.sort((a, b) => this.compareKeys(a.keys, b.keys)); } // those that are equal stay in order

    // A row of the answer, unless enough come before it.
    emit(env) {
      const keys = this.order.map(({ value }) => value(env));
      if (this.worst && !this.tree.distinct && this.compareKeys(keys, this.worst) >= 0) {
        this.total++;
        return;
      }
      const out = this.out.map(({ value }) => value(env));
      if (this.tree.distinct) {
        const name = out.map(keyText).join();
        if (this.seen.has(name)) return;
        this.seen.add(name);
      }
      this.total++;
      this.rows.push({ out, keys });
      if (this.order.length === 0) {
        if (this.rows.length > this.wanted) this.full = true;
      } else if (this.rows.length >= 2 * this.wanted + 1024) {
        this.sortRows();
        this.rows.length = this.wanted;
        this.worst = this.rows[this.wanted - 1]?.keys;
      }
    }

    take(env) {
      if (this.full) return;
      if (this.grouped) this.takeGrouped(env);
      else this.emit(env);
    }

    finish() {
      if (!this.grouped) return;
      if (this.groups.size === 0 && this.keys.length === 0) this.groups.set(null, this.open());
      for (const group of this.groups.values()) {
        if (!this.full && (!this.having || truth(this.having.value(group)))) this.emit(group);
      }
    }

    // { columns, rows: [[value, …]], total: of rows, of which there may be more than `most`; whole: whether none was
    // left out but by LIMIT }; null once stopped().
    async run({ most = 100000, stopped = () => false, told = () => {} } = {}) {
      Object.assign(this, { groups: new Map(), rows: [], seen: new Set(), total: 0, full: false, worst: null, rowsOf: [] });
      this.wanted = Math.min(this.offset + (this.limit ?? Infinity), this.offset + most);
      for (let i = 1; i < this.sources.length; i++) this.rowsOf[i] = await this.load(i);
      const env = this.sources.map(() => null);
      let last = performance.now();
      if (this.sources.length === 0) this.visit(env, 0);
      else {
        for await (const part of this.sources[0].table.parts()) {
          for (let i = 0; i < part.rows && !this.full; i++) {
            env[0] = part.row(i);
            this.visit(env, 1);
          }
          if (this.full) break;
          if (performance.now() - last < BREATH_MS) continue;
          told(part.done);
          await new Promise((next) => setTimeout(next, 0));
          last = performance.now();
          if (stopped()) return null;
        }
      }
      this.finish();
      if (stopped()) return null;
      if (this.order.length > 0) this.sortRows();
      const end = this.offset + Math.min(this.limit ?? Infinity, most);
      const rows = this.rows.slice(this.offset, end).map(({ out }) => out);
      const left = this.total - this.offset > most && (this.limit === null || this.limit > most);
      return { columns: this.outputs.map(({ title }) => title), rows, whole: !left };
    }
  }

  // tables: by name in small letters; own: functions of the page, as SqlFunctions.scalar.
  return async (text, tables, own, options) => {
    try {
      return await new Query(text, tables, own).run(options);
    } catch (error) {
      if (error instanceof SqlError) throw error;
      if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) throw error; // ours
      throw new SqlError(error.message, text);
    }
  };
})();
