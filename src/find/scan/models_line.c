/*
 * models_line - the line language of docs/lock-models.md: words, parsed by two tables (kinds,
 * options), so that a new option is a row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "find/scan/models_internal.h"

#define MASK_BITS 32

/* ---- one line ------------------------------------------------------------------------------- */

/*
 * A line is cut into words: blanks part them, "..." and (...) keep theirs together; a '(' directly
 * after a name belongs to that name.
 */
struct word {
	char *text;      /* without quotes and parentheses */
	char *arguments; /* what stood in (...), or NULL */
	bool quoted;
};
struct line {
	struct models *models;
	const char *file;
	int number;
	VEC(struct word) words;
	size_t at;
	bool add;        /* "+" */
};

static int line_error(const struct line *line, const char *format, const char *word)
{
	char reason[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(reason, sizeof(reason), format, word);
#pragma GCC diagnostic pop
	return error_usage("%s:%d: %s", line->file, line->number, reason);
}

static char *cut_until(struct line *line, char **at, char end)
{
	char *start = *at, *stop = strchr(start, end);

	if (!stop) {
		line_error(line, end == '"' ? "a \" is not closed%s" : "a ( is not closed%s", "");
		return NULL;
	}
	*stop = 0;
	*at = stop + 1;
	return start;
}

static int cut_word(struct line *line, char **at)
{
	struct word word = { 0 };

	if (**at == '"') {
		++*at;
		word.quoted = true;
		word.text = cut_until(line, at, '"');
	} else {
		size_t length = strcspn(*at, " \t\r\n,(");
		char end = (*at)[length];

		word.text = *at;
		*at += length + (end != 0);
		word.text[length] = 0;
		if (end == '(') {
			word.arguments = cut_until(line, at, ')');
			if (!word.arguments)
				return -1;
		}
	}
	if (!word.text)
		return -1;
	VEC_PUSH(&line->words, word);
	return 0;
}

/* A '#' outside quotes ends the line. */
static int cut_line(struct line *line, char *text)
{
	for (;;) {
		text += strspn(text, " \t\r\n,");
		if (!*text || *text == '#')
			return 0;
		if (cut_word(line, &text))
			return -1;
	}
}

static struct word *next_word(struct line *line)
{
	return line->at < line->words.count ? &line->words.items[line->at++] : NULL;
}

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* "2", or "2.." for that one and all after it. */
static int add_formal(const struct line *line, const char *text, uint32_t *mask)
{
	char *end;
	unsigned long formal = strtoul(text, &end, 10);

	if (end == text || (*end && strcmp(end, "..")))
		return line_error(line, "'%s' is not the number of an argument (0 is the first)", text);
	if (formal >= MASK_BITS)
		return line_error(line, "argument %s: more than 31 are not told apart", text);
	*mask |= *end ? ~0u << formal : 1u << formal;
	return 0;
}

static int parse_formal(const struct line *line, const char *text, int *formal)
{
	uint32_t mask = 0;

	if (add_formal(line, text, &mask))
		return -1;
	if (strstr(text, ".."))
		return line_error(line, "'%s': one argument is meant", text);
	*formal = atoi(text);
	return 0;
}

/* ---- options ---------------------------------------------------------------------------------- */

static int need_word(struct line *line, const char *option, struct word **word)
{
	*word = next_word(line);
	return *word ? 0 : line_error(line, "something is missing after '%s'", option);
}

static int one_formal(struct line *line, const char *option, int *formal)
{
	struct word *word;

	return need_word(line, option, &word) || parse_formal(line, word->text, formal) ? -1 : 0;
}

/* All numbers that follow. */
static int formals(struct line *line, const char *option, uint32_t *mask)
{
	struct word *word;

	if (need_word(line, option, &word) || add_formal(line, word->text, mask))
		return -1;
	while (line->at < line->words.count && strchr("0123456789", *line->words.items[line->at].text) &&
	       *line->words.items[line->at].text)
		if (add_formal(line, line->words.items[line->at++].text, mask))
			return -1;
	return 0;
}

static int option_read(struct line *line, struct model *model) { model->mode = LOCK_READ; return 0; }
static int option_write(struct line *line, struct model *model) { model->mode = LOCK_WRITE; return 0; }
static int option_value(struct line *line, struct model *model) { model->by_value = true; return 0; }
static int option_recursive(struct line *line, struct model *model) { model->recursive = true; return 0; }
static int option_many(struct line *line, struct model *model) { model->many = true; return 0; }
static int option_arg(struct line *line, struct model *model) { return one_formal(line, "arg", &model->argument); }
static int option_as(struct line *line, struct model *model) { return one_formal(line, "as", &model->argument_as); }
static int option_self(struct line *line, struct model *model) { model->self = true; return 0; }
static int option_bytes(struct line *line, struct model *model)
{
	int bytes;

	if (one_formal(line, "bytes", &bytes))
		return -1;
	model->bytes = (uint32_t)bytes;
	return 0;
}
static int option_lock(struct line *line, struct model *model) { return one_formal(line, "lock", &model->lock); }
static int option_length(struct line *line, struct model *model) { return one_formal(line, "length", &model->length); }
static int option_method(struct line *line, struct model *model) { return one_formal(line, "method", &model->entry_method); }
static int option_reads(struct line *line, struct model *model) { return formals(line, "reads", &model->reads); }
static int option_writes(struct line *line, struct model *model) { return formals(line, "writes", &model->writes); }
static int option_keeps(struct line *line, struct model *model) { return formals(line, "keeps", &model->keeps); }
static int option_reaches(struct line *line, struct model *model) { return formals(line, "reaches", &model->reaches); }
static int option_passes(struct line *line, struct model *model) { return formals(line, "passes", &model->passes); }

/* entry 2, or entry *1+8: the function is stored there. */
static int option_entry(struct line *line, struct model *model)
{
	struct word *word;
	char *plus;

	if (need_word(line, "entry", &word))
		return -1;
	if (*word->text != '*')
		return parse_formal(line, word->text, &model->entry);
	model->entry_indirect = true;
	plus = strchr(word->text, '+');
	if (plus && !is_number(plus + 1))
		return line_error(line, "'%s' is not a number of bytes", plus + 1);
	if (plus) {
		model->entry_offset = atoll(plus + 1);
		*plus = 0;
	}
	return parse_formal(line, word->text + 1, &model->entry);
}

/* returns 0 | -1 | nonzero: the result that means it worked. */
static int option_returns(struct line *line, struct model *model)
{
	struct word *word;
	char *end;

	if (need_word(line, "returns", &word))
		return -1;
	model->can_fail = true;
	model->success_nonzero = !strcmp(word->text, "nonzero");
	if (model->success_nonzero)
		return 0;
	model->success = strtoll(word->text, &end, 10);
	if (end == word->text || *end)
		return line_error(line, "'returns %s': a number or nonzero is meant", word->text);
	return 0;
}

/* result N: the result points into what formal N points to. */
static int option_result(struct line *line, struct model *model) { return one_formal(line, "result", &model->returns); }

static int need_name(struct line *line, const char *option, struct model *model)
{
	struct word *word;

	if (need_word(line, option, &word))
		return -1;
	model->fixed = arena_strdup(&line->models->arena, word->text);
	return 0;
}

static int option_fixed(struct line *line, struct model *model)
{
	model->object = MODEL_FIXED;
	return need_name(line, "fixed", model);
}

static int option_static(struct line *line, struct model *model)
{
	model->returns_static = model->touches_static = true;
	return need_name(line, "static", model);
}

static int option_touches(struct line *line, struct model *model)
{
	model->touches_static = true;
	return need_name(line, "touches", model);
}

/* copies TO FROM; TO may be "result". */
static int copy_formals(struct line *line, const char *to, const char *from, struct model *model)
{
	if (!strcmp(to, "result"))
		model->copy_to = MODEL_RESULT;
	else if (parse_formal(line, to, &model->copy_to))
		return -1;
	if (parse_formal(line, from, &model->copy_from))
		return -1;
	if (model->copy_to >= 0)
		model->writes |= 1u << model->copy_to;
	model->reads |= 1u << model->copy_from;
	return 0;
}

static int option_copies(struct line *line, struct model *model)
{
	struct word *to, *from;

	return need_word(line, "copies", &to) || need_word(line, "copies", &from) ? -1 :
		copy_formals(line, to->text, from->text, model);
}

static int option_order(struct line *line, struct model *model)
{
	static const struct { const char *word; enum ir_order order; } orders[] = {
		{ "relaxed", IR_ORDER_RELAXED }, { "acquire", IR_ORDER_ACQUIRE }, { "release", IR_ORDER_RELEASE },
		{ "acq_rel", IR_ORDER_ACQ_REL }, { "seq_cst", IR_ORDER_SEQ_CST },
	};
	struct word *word;

	if (need_word(line, "order", &word))
		return -1;
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (!strcmp(orders[i].word, word->text)) {
			model->order = orders[i].order;
			return 0;
		}
	return line_error(line, "'order %s': relaxed, acquire, release, acq_rel or seq_cst is meant", word->text);
}

static const struct option {
	const char *word;
	int (*parse)(struct line *line, struct model *model);
} option_table[] = {
	{ "read", option_read }, { "write", option_write }, { "value", option_value }, { "recursive", option_recursive },
	{ "entry", option_entry }, { "arg", option_arg }, { "lock", option_lock }, { "returns", option_returns },
	{ "reads", option_reads }, { "writes", option_writes }, { "keeps", option_keeps }, { "length", option_length },
	{ "result", option_result }, { "fixed", option_fixed }, { "static", option_static }, { "touches", option_touches },
	{ "copies", option_copies }, { "passes", option_passes }, { "reaches", option_reaches }, { "as", option_as }, { "self", option_self },
	{ "bytes", option_bytes }, { "many", option_many }, { "order", option_order }, { "method", option_method },
};

static const struct option *option_find(const struct word *word)
{
	if (word->arguments || word->quoted)
		return NULL;
	for (size_t i = 0; i < sizeof(option_table) / sizeof(*option_table); i++)
		if (!strcmp(option_table[i].word, word->text))
			return &option_table[i];
	return NULL;
}

static int parse_options(struct line *line, struct model *model)
{
	struct word *word;

	while ((word = next_word(line))) {
		const struct option *option = option_find(word);

		if (!option)
			return line_error(line, "unknown word '%s'", word->text);
		if (option->parse(line, model))
			return -1;
	}
	return 0;
}

/* ---- kinds ------------------------------------------------------------------------------------- */

static int kind_find(const char *word)
{
	for (int kind = 0; kind < MODEL_KIND_COUNT; kind++)
		if (!strcmp(model_kind_name((enum model_kind)kind), word))
			return kind;
	return -1;
}

static struct model model_blank(struct line *line, enum model_kind kind)
{
	return (struct model){
		.kind = kind, .mode = LOCK_WRITE, .object = MODEL_NO_OBJECT, .entry = -1, .argument = -1, .entry_method = -1,
		.lock = -1, .returns = -1, .copy_to = -1, .copy_from = -1, .length = -1, .order = IR_ORDER_SEQ_CST,
		.where = arena_printf(&line->models->arena, "%s:%d", line->file, line->number),
	};
}

/* What the numbers in NAME(...) mean: a mask for reads and writes, the object else. */
enum shape { SHAPE_OBJECT, SHAPE_READS, SHAPE_WRITES, SHAPE_COPIES };

static int parse_arguments(struct line *line, enum shape shape, char *arguments, struct model *model)
{
	char *save = NULL, *first = strtok_r(arguments, " \t,", &save), *word = first;

	if (shape == SHAPE_COPIES) {
		char *second = strtok_r(NULL, " \t,", &save);

		return second ? copy_formals(line, first, second, model) :
			line_error(line, "copies %s(TO FROM): two arguments are meant", model->name);
	}
	if (!first)
		return 0;
	if (shape == SHAPE_OBJECT) {
		if (strtok_r(NULL, " \t,", &save))
			return line_error(line, "%s: one argument is meant in (...)", model->name);
		if (!strcmp(first, "result")) {
			model->object = MODEL_RESULT;
			return 0;
		}
		return parse_formal(line, first, &model->object);
	}
	for (; word; word = strtok_r(NULL, " \t,", &save))
		if (add_formal(line, word, shape == SHAPE_READS ? &model->reads : &model->writes))
			return -1;
	return 0;
}

/* What a kind cannot do without. */
static int check_model(const struct line *line, const struct model *model)
{
	bool needs_object = false, needs_entry = false;

	switch (model->kind) {
	case MODEL_LOCK: case MODEL_TRYLOCK: case MODEL_UNLOCK: case MODEL_JOIN: case MODEL_BARRIER: case MODEL_POST:
	case MODEL_TAKE: case MODEL_FREE: case MODEL_INIT: case MODEL_GUARD: case MODEL_GUARD_DONE: case MODEL_SET_OWN:
	case MODEL_GET_OWN: case MODEL_ONCE: case MODEL_WAIT: case MODEL_SIGNAL: case MODEL_ATOMIC:
		needs_object = true;
		break;
	case MODEL_SPAWN: case MODEL_CALLS: case MODEL_HANDLER: case MODEL_AT_EXIT:
		needs_entry = true;
		break;
	default:
		break;
	}
	if (needs_object && model->object == MODEL_NO_OBJECT)
		return error_usage("%s:%d: %s %s: which argument? write %s(0) for the first", line->file, line->number,
				   model_kind_name(model->kind), model->name, model->name);
	if ((needs_entry || model->kind == MODEL_ONCE) && model->entry < 0)
		return error_usage("%s:%d: %s %s: 'entry N' is missing (the argument that is the function)", line->file,
				   line->number, model_kind_name(model->kind), model->name);
	if (model->kind == MODEL_TRYLOCK && !model->can_fail)
		return error_usage("%s:%d: trylock %s: 'returns N' is missing (the result that means it is held)", line->file,
				   line->number, model->name);
	return 0;
}

static bool is_name(const struct word *word)
{
	return !word->quoted && (word->arguments || !option_find(word));
}

/* KIND NAME[(N)] NAME[(N)]... options: the options hold for all names of the line. */
static int functions_line(struct line *line, struct model blank, enum shape shape)
{
	size_t first = line->at, end;

	while (line->at < line->words.count && (line->at == first || is_name(&line->words.items[line->at])))
		line->at++;
	end = line->at;
	if (first == end)
		return line_error(line, "%s: the name of a function is missing", model_kind_name(blank.kind));
	if (parse_options(line, &blank))
		return -1;
	for (size_t i = first; i < end; i++) {
		struct word *word = &line->words.items[i];
		struct model *model = arena_copy(&line->models->arena, &blank, sizeof(blank));

		model->name = arena_strdup(&line->models->arena, word->text);
		if (word->arguments && parse_arguments(line, shape, word->arguments, model))
			return -1;
		if (check_model(line, model))
			return -1;
		models_put(line->models, model, line->add);
	}
	return 0;
}

/* asm "pattern" KIND [(N)] options */
static int asm_line(struct line *line)
{
	struct word *pattern = next_word(line), *word = next_word(line);
	struct model model;
	char *text;
	int kind;

	if (!pattern || !pattern->quoted)
		return line_error(line, "asm: the template is missing, in quotes%s", "");
	kind = word ? kind_find(word->text) : -1;
	if (kind < 0)
		return line_error(line, "asm: '%s' is no kind (atomic, fence, pure, effect, own)", word ? word->text : "");
	model = model_blank(line, (enum model_kind)kind);
	text = models_normalised(pattern->text);
	model.name = arena_strdup(&line->models->arena, text);
	free(text);
	if (word->arguments && parse_arguments(line, SHAPE_OBJECT, word->arguments, &model))
		return -1;
	if (parse_options(line, &model))
		return -1;
	VEC_PUSH(&line->models->patterns, arena_copy(&line->models->arena, &model, sizeof(model)));
	return 0;
}

/* field TYPE.FIELD handler|spawn [arg 0]: functions stored there are entries. */
static int field_line(struct line *line)
{
	struct word *field = next_word(line), *word = next_word(line);
	struct model model;
	int kind;

	if (field && !strcmp(field->text, "struct")) {
		field = word;
		word = next_word(line);
	}
	if (!field || !strchr(field->text, '.'))
		return line_error(line, "field: 'TYPE.FIELD' is meant, not '%s'", field ? field->text : "");
	kind = word ? kind_find(word->text) : -1;
	if (kind != MODEL_HANDLER && kind != MODEL_SPAWN)
		return line_error(line, "field: handler or spawn is meant, not '%s'", word ? word->text : "");
	model = model_blank(line, (enum model_kind)kind);
	model.name = arena_strdup(&line->models->arena, field->text);
	if (parse_options(line, &model))
		return -1;
	VEC_PUSH(&line->models->fields, arena_copy(&line->models->arena, &model, sizeof(model)));
	return 0;
}

static int parse_line(struct line *line)
{
	static const struct { const char *word; enum shape shape; } effects[] = {
		{ "reads", SHAPE_READS }, { "writes", SHAPE_WRITES }, { "copies", SHAPE_COPIES },
	};
	struct word *word = next_word(line);
	int kind;

	if (word && !strcmp(word->text, "+")) {
		line->add = true;
		word = next_word(line);
	}
	if (!word)
		return line->add ? line_error(line, "nothing follows the +%s", "") : 0;
	if (!strcmp(word->text, "asm"))
		return asm_line(line);
	if (!strcmp(word->text, "field"))
		return field_line(line);
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
		if (!strcmp(effects[i].word, word->text))
			return functions_line(line, model_blank(line, MODEL_EFFECT), effects[i].shape);
	kind = kind_find(word->text);
	if (kind < 0)
		return line_error(line, "'%s' is no kind of model (docs/lock-models.md has them all)", word->text);
	return functions_line(line, model_blank(line, (enum model_kind)kind), SHAPE_OBJECT);
}

int models_parse(struct models *models, const char *file, char *text)
{
	struct line line = { .models = models, .file = file };
	int r = 0;

	for (char *next = text; next && !r; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = 0;
		line.number++;
		line.at = line.words.count = 0;
		line.add = false;
		r = cut_line(&line, text) || parse_line(&line) ? -1 : 0;
	}
	VEC_FREE(&line.words);
	return r;
}
