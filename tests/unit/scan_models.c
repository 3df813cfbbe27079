/* scan_models - the line language of models/: what the shipped files say, what a project's own may, what is refused. */
#include "unit.h"

#include "base/error.h"
#include "find/scan/models.h"

static const char *written(const char *text)
{
	const char *path = unit_path("own.model");
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static struct models *only(const char *text)
{
	const char *path = written(text);

	return models_load_only(&path, 1);
}

static const struct model *known(const struct models *models, const char *function, enum model_kind kind)
{
	const struct model *model = models_find(models, function);

	if (!model)
		fail_msg("no model of %s", function);
	if (model->kind != kind)
		fail_msg("%s is a %s", function, model_kind_name(model->kind));
	return model;
}

static void the_shipped_ones_are_read(void **state)
{
	struct models *models = models_load(NULL, 0);
	const struct model *model;

	if (!models)
		fail_msg("%s", error_message());
	assert_true(models_count(models) > 900);
	model = known(models, "pthread_mutex_lock", MODEL_LOCK);
	assert_int_equal(model->object, 0);
	assert_int_equal(model->mode, LOCK_WRITE);
	assert_non_null(strstr(model->where, "models/pthread.model:"));
	model = known(models, "pthread_rwlock_tryrdlock", MODEL_TRYLOCK);
	assert_int_equal(model->mode, LOCK_READ);
	assert_true(model->can_fail && !model->success_nonzero && model->success == 0);
	model = known(models, "pthread_create", MODEL_SPAWN);
	assert_int_equal(model->entry, 2);
	assert_int_equal(model->argument, 3);
	assert_int_equal(model->writes, 1);
	assert_false(model->by_value);
	assert_true(known(models, "pthread_join", MODEL_JOIN)->by_value);
	assert_int_equal(known(models, "pthread_cond_wait", MODEL_WAIT)->lock, 1);
	assert_int_equal(known(models, "snprintf", MODEL_EFFECT)->reads, ~3u);
	model = known(models, "strcpy", MODEL_EFFECT);
	assert_true(model->copy_to == 0 && model->copy_from == 1 && model->returns == 0);
	assert_true(model->writes == 1 && model->reads == 2);
	model = known(models, "realloc", MODEL_FREE);
	assert_true(model->copy_to == MODEL_RESULT && model->copy_from == 0);
	model = known(models, "localtime", MODEL_EFFECT);
	assert_true(model->returns_static && !strcmp(model->fixed, "localtime"));
	model = known(models, "sigaction", MODEL_HANDLER);
	assert_true(model->entry_indirect && model->entry == 1 && model->entry_offset == 0);
	model = known(models, "mutex_trylock", MODEL_TRYLOCK);
	assert_true(model->success_nonzero);
	model = known(models, "downgrade_write", MODEL_UNLOCK);
	assert_non_null(model->next);
	assert_true(model->next->kind == MODEL_LOCK && model->next->mode == LOCK_READ);
	assert_int_equal(known(models, "rtnl_lock", MODEL_LOCK)->object, MODEL_FIXED);
	assert_int_equal(known(models, "read", MODEL_EFFECT)->length, 2);
	assert_null(models_find(models, "frobnicate"));
	models_free(models);
}

static void assembly_is_found_by_its_template(void **state)
{
	static const struct { const char *template; int kind; } rows[] = {
		{ "", MODEL_PURE },
		{ "\n\t.pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; incl $0", MODEL_ATOMIC },
		{ "lock ; xaddl $0, $1", MODEL_ATOMIC },
		{ "xchgl $0, $1", MODEL_ATOMIC },
		{ "lock; cmpxchgl $2,$1", MODEL_ATOMIC },
		{ "mfence", MODEL_FENCE },
		{ "lock; addl $$0,-4(%rsp)", MODEL_FENCE },
		{ "rep; nop", MODEL_PURE },
		{ "movq %gs:$1, $0", MODEL_THREAD_LOCAL },
		{ "frob $0", -1 },
	};
	struct models *models = models_load(NULL, 0);

	assert_non_null(models);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct model *model = models_find_asm(models, rows[i].template, "");

		if ((model ? (int)model->kind : -1) != rows[i].kind)
			fail_msg("'%s' is %s", rows[i].template, model ? model->name : "nothing");
	}
	models_free(models);
}

static void fields_hold_entries(void **state)
{
	struct models *models = models_load(NULL, 0);

	assert_non_null(models);
	assert_non_null(models_find_field(models, "struct work_struct", "func"));
	assert_non_null(models_find_field(models, "work_struct", "func"));
	assert_null(models_find_field(models, "struct work", "func"));
	assert_null(models_find_field(models, "struct work_struct", "fun"));
	models_free(models);
}

static void a_project_has_the_last_word(void **state)
{
	const char *path = written("# ours\n"
				   "lock  own_lock(1) read recursive   # a comment\r\n"
				   "\n"
				   "pure  pthread_mutex_lock, helper\n"
				   "effect read(0) writes 1 3..\n"
				   "+ free own_lock(0)\n"
				   "spawn start entry *0+16 arg 0 many\n"
				   "take own_take(0) returns -1\n"
				   "asm \"frob  $0\" atomic order acquire");
	struct models *models = models_load(&path, 1);
	const struct model *model;

	if (!models)
		fail_msg("%s", error_message());
	model = known(models, "own_lock", MODEL_LOCK);
	assert_true(model->object == 1 && model->mode == LOCK_READ && model->recursive);
	assert_non_null(model->next);
	assert_int_equal(model->next->kind, MODEL_FREE);
	known(models, "pthread_mutex_lock", MODEL_PURE);
	known(models, "helper", MODEL_PURE);
	assert_int_equal(known(models, "read", MODEL_EFFECT)->writes, 2u | ~7u);
	model = known(models, "start", MODEL_SPAWN);
	assert_true(model->entry_indirect && model->entry_offset == 16 && model->many);
	assert_int_equal(known(models, "own_take", MODEL_TAKE)->success, -1);
	model = models_find_asm(models, "frob\t$0\n", "");
	assert_true(model && model->order == IR_ORDER_ACQUIRE);
	models_free(models);
}

/* Every mistake is one line: file, line, what. */
static void mistakes_are_named(void **state)
{
	static const struct { const char *text, *message; } rows[] = {
		{ "\nlokc f(0)\n", "own.model:2: 'lokc' is no kind of model" },
		{ "lock f\n", "own.model:1: lock f: which argument?" },
		{ "lock\n", "the name of a function is missing" },
		{ "lock f(x)\n", "'x' is not the number of an argument" },
		{ "lock f(0) wrote\n", "lock wrote: which argument?" },
		{ "trylock f(0)\n", "'returns N' is missing" },
		{ "trylock f(0) returns maybe\n", "a number or nonzero is meant" },
		{ "spawn f(0) arg 1\n", "'entry N' is missing" },
		{ "reads f(0\n", "a ( is not closed" },
		{ "asm \"x\n", "a \" is not closed" },
		{ "asm x pure\n", "the template is missing" },
		{ "asm \"x\" lokc\n", "'lokc' is no kind" },
		{ "field func handler\n", "'TYPE.FIELD' is meant" },
		{ "field a.b lock\n", "handler or spawn is meant" },
		{ "copies f(0)\n", "two arguments are meant" },
		{ "effect f reads 40\n", "more than 31" },
		{ "effect f reads\n", "something is missing after 'reads'" },
		{ "fence f order often\n", "seq_cst is meant" },
		{ "+\n", "nothing follows the +" },
		{ "lock f(0..)\n", "one argument is meant" },
		{ "spawn f entry *1+x\n", "not a number of bytes" },
		{ "lock f(0) read \"x\"\n", "unknown word 'x'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (only(rows[i].text))
			fail_msg("taken: %s", rows[i].text);
		if (!strstr(error_message(), rows[i].message) || !strstr(error_message(), "own.model:"))
			fail_msg("'%s' for: %s", error_message(), rows[i].text);
		assert_int_equal(error_status(), 2);
	}
}

static void files_that_are_none(void **state)
{
	const char *missing = unit_path("none.model"), *path = unit_path("bytes.model");
	FILE *file = fopen(path, "w");
	struct models *empty;

	fwrite("lock\0x", 1, 6, file);
	fclose(file);
	assert_null(models_load_only(&missing, 1));
	assert_non_null(strstr(error_message(), "none.model"));
	assert_null(models_load_only(&path, 1));
	assert_non_null(strstr(error_message(), "no text file"));
	empty = only("");
	assert_non_null(empty);
	assert_int_equal(models_count(empty), 0);
	models_free(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_ones_are_read), cmocka_unit_test(assembly_is_found_by_its_template),
		cmocka_unit_test(fields_hold_entries), cmocka_unit_test(a_project_has_the_last_word),
		cmocka_unit_test(mistakes_are_named), cmocka_unit_test(files_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, unit_clean);
}
