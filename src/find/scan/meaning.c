/* meaning - what the outcome of a condition says of a value: through copies, comparisons, negations; see ways.h. */
#include "find/scan/ways.h"

bool is_address(const struct work *w, ir_operand o)
{
	const struct ir_instr *def = ir_kind(o) == IR_K_VALUE ? w->def[ir_index(o)] : NULL;

	if (ir_kind(o) == IR_K_GLOBAL || ir_kind(o) == IR_K_FUNC)
		return true;
	if (ir_kind(o) == IR_K_CONST)
		return ir_kind(w->unit->constants[ir_index(o)].base) == IR_K_GLOBAL;
	return def && (def->op == IR_ALLOCA || (def->op == IR_INDEX && is_address(w, def->a)) || (def->op == IR_FIELD && is_address(w, def->a)));
}

bool meaning_of(const struct work *w, ir_operand o, struct meaning *m, bool bit)
{
	const struct ir_instr *def = ir_kind(o) == IR_K_VALUE ? w->def[ir_index(o)] : NULL;
	int64_t k;

	if (ir_kind(o) != IR_K_VALUE)
		return false;
	*m = (struct meaning){ .value = ir_index(o), .said = { true, true }, .nonzero = { false, true } };
	if (!def)
		return true;
	if (def->op == IR_COPY && (def->sub == IR_COPY_ZEXT || def->sub == IR_COPY_SEXT || def->sub == IR_COPY_SAME))
		return meaning_of(w, def->a, m, bit && def->sub == IR_COPY_SAME);
	if (def->op == IR_COPY && def->sub == IR_COPY_TRUNC) { /* what is left is not zero: nor is the whole */
		if (!meaning_of(w, def->a, m, false))
			return false;
		m->said[0] &= bit;
		return true;
	}
	if (def->op == IR_EXTRACT && def->imm == 1 && ir_kind(def->a) == IR_K_VALUE && w->def[ir_index(def->a)] &&
	    w->def[ir_index(def->a)]->op == IR_CMPXCHG) { /* known of a compare-and-swap: whether it succeeded */
		m->value = ir_index(def->a);
		return true;
	}
	if (def->op == IR_ARITH && def->sub == IR_A_XOR && constant_of(w, def->b, &k) && (k == 1 || k == -1)) {
		const struct ir_instr *inner = ir_kind(def->a) == IR_K_VALUE ? w->def[ir_index(def->a)] : NULL;
		struct meaning turned;

		if (!inner || (inner->op != IR_COMPARE && inner->op != IR_ARITH && inner->op != IR_COPY) || !meaning_of(w, def->a, m, bit))
			return false;
		turned = *m;
		for (int i = 0; i < 2; i++) {
			m->said[i] = turned.said[!i];
			m->nonzero[i] = turned.nonzero[!i];
		}
		return true;
	}
	if (def->op == IR_COMPARE && (def->sub == IR_C_EQ || def->sub == IR_C_NE) && constant_of(w, def->b, &k)) {
		struct meaning inner;
		bool equal = def->sub == IR_C_EQ;

		if (!meaning_of(w, def->a, &inner, false))
			return false;
		*m = inner;
		for (int i = 0; i < 2; i++) {
			bool is_k = equal == i; /* the outcome says: operand equals k */

			m->said[i] = k ? is_k && inner.said[1] : inner.said[!is_k];
			m->nonzero[i] = k ? inner.nonzero[1] : inner.nonzero[!is_k];
		}
		return true;
	}
	return true;
}
