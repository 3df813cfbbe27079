/*
 * report_sarif: the rules of SARIF 2.1.0 (OASIS, errata 01) that this report can break, as
 * checks: names of properties, required ones, enumerations, references between objects, and
 * what the two thread flows, fingerprints, suppressions and the baseline mean.
 */
#include "report_fixture.h"

#include <ctype.h>
#include <jansson.h>

/* ---- helpers ----------------------------------------------------------------------------- */

static const char *string_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_string(v))
		fail_msg("%s is missing or no string", key);
	return json_string_value(v);
}

static bool is_one_of(const char *word, const char *words)
{
	char wanted[96];

	snprintf(wanted, sizeof(wanted), "|%s|", word);
	return strstr(words, wanted);
}

/* Only properties the standard names for this object ("|a|b|"); a mistyped one is silently ignored by readers. */
static void only(const json_t *o, const char *what, const char *names)
{
	const char *key;
	json_t *value;

	if (!json_is_object(o))
		fail_msg("%s is no object", what);
	json_object_foreach((json_t *)o, key, value)
		if (!is_one_of(key, names))
			fail_msg("%s has no property %s in SARIF 2.1.0", what, key);
}

static void check_message(const json_t *m)
{
	only(m, "message", "|text|markdown|id|arguments|properties|");
	assert_true(*string_of(m, "text"));
}

/* ---- places (3.4, 3.28, 3.29, 3.30) ---------------------------------------------------------- */

static void check_artifact(const json_t *a, const json_t *run)
{
	const json_t *base = json_object_get(a, "uriBaseId");
	const char *uri = string_of(a, "uri");

	only(a, "artifactLocation", "|uri|uriBaseId|index|description|properties|");
	for (const char *p = uri; *p; p++) { /* RFC 3986: nothing else may stand in a URI */
		if (*p == '%' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2]))
			continue;
		if (!isalnum((unsigned char)*p) && !strchr("/-._~:", *p))
			fail_msg("not a URI: %s", uri);
	}
	if (!base) {
		assert_memory_equal(uri, "file:///", 8); /* absolute */
		return;
	}
	assert_true(uri[0] != '/' && !strstr(uri, "://")); /* 3.4.4: relative to its base */
	base = json_object_get(json_object_get(run, "originalUriBaseIds"), json_string_value(base));
	assert_non_null(base);
	uri = string_of(base, "uri");
	assert_memory_equal(uri, "file:///", 8);
	assert_int_equal(uri[strlen(uri) - 1], '/'); /* 3.14.14: ends with a slash */
}

static void check_region(const json_t *r)
{
	const json_t *column = json_object_get(r, "startColumn");

	only(r, "region", "|startLine|startColumn|endLine|endColumn|charOffset|charLength|byteOffset|byteLength|snippet|message|");
	assert_true(json_integer_value(json_object_get(r, "startLine")) >= 1);
	assert_true(!column || json_integer_value(column) >= 1);
	if (json_object_get(r, "snippet"))
		string_of(json_object_get(r, "snippet"), "text");
}

static void check_physical(const json_t *p, const json_t *run)
{
	const json_t *address = json_object_get(p, "address");

	only(p, "physicalLocation", "|artifactLocation|region|contextRegion|address|properties|");
	assert_true(json_object_get(p, "artifactLocation") || address); /* 3.29.2 */
	if (json_object_get(p, "artifactLocation"))
		check_artifact(json_object_get(p, "artifactLocation"), run);
	if (json_object_get(p, "region"))
		check_region(json_object_get(p, "region"));
	if (address) {
		only(address, "address", "|absoluteAddress|relativeAddress|offsetFromParent|length|name|fullyQualifiedName|kind|");
		assert_true(json_integer_value(json_object_get(address, "relativeAddress")) >= 0);
	}
}

static void check_location(const json_t *l, const json_t *run)
{
	const json_t *logical = json_object_get(l, "logicalLocations");
	json_t *item;
	size_t i;

	only(l, "location", "|id|physicalLocation|logicalLocations|message|annotations|relationships|properties|");
	if (json_object_get(l, "physicalLocation"))
		check_physical(json_object_get(l, "physicalLocation"), run);
	if (json_object_get(l, "message"))
		check_message(json_object_get(l, "message"));
	json_array_foreach((json_t *)logical, i, item) {
		only(item, "logicalLocation", "|name|fullyQualifiedName|decoratedName|kind|parentIndex|index|properties|");
		assert_true(*string_of(item, "fullyQualifiedName"));
		assert_string_equal(string_of(item, "kind"), "function");
	}
}

/* ---- flows (3.36, 3.37, 3.38) ------------------------------------------------------------------- */

static json_int_t check_flow_location(const json_t *l, const json_t *run)
{
	only(l, "threadFlowLocation", "|location|kinds|state|nestingLevel|executionOrder|executionTimeUtc|importance|module|stack|"
				      "webRequest|webResponse|taxa|index|properties|");
	check_location(json_object_get(l, "location"), run);
	if (json_object_get(l, "importance"))
		assert_true(is_one_of(string_of(l, "importance"), "|important|essential|unimportant|"));
	assert_true(json_is_integer(json_object_get(l, "executionOrder")));
	return json_integer_value(json_object_get(l, "executionOrder"));
}

/* The last executionOrder of the flow; they never go back within one thread. */
static json_int_t check_thread_flow(const json_t *flow, const json_t *run)
{
	const json_t *locations = json_object_get(flow, "locations");
	json_int_t last = 0;
	json_t *item;
	size_t i;

	only(flow, "threadFlow", "|id|message|initialState|immutableState|locations|properties|");
	assert_true(json_array_size(locations) >= 1);
	json_array_foreach((json_t *)locations, i, item) {
		json_int_t order = check_flow_location(item, run);

		assert_true(order > 0 && order >= last);
		last = order;
	}
	return last;
}

static void check_code_flows(const json_t *result, const json_t *run)
{
	const json_t *flow = json_array_get(json_object_get(result, "codeFlows"), 0), *threads = json_object_get(flow, "threadFlows");
	bool is_pair = !strcmp(string_of(result, "ruleId"), "data-race") || !strcmp(string_of(result, "ruleId"), "unconfirmed-pair");

	const char *state = json_string_value(json_object_get(result, "baselineState"));

	if (!strcmp(string_of(result, "ruleId"), "failure") || (state && !strcmp(state, "absent"))) {
		assert_null(flow);
		return;
	}
	only(flow, "codeFlow", "|message|threadFlows|properties|");
	assert_int_equal(json_array_size(json_object_get(result, "codeFlows")), 1);
	assert_int_equal(json_array_size(threads), 2);
	assert_string_not_equal(string_of(json_array_get(threads, 0), "id"), string_of(json_array_get(threads, 1), "id"));
	if (is_pair) /* 3.38.11: the same executionOrder is at the same time: both stood there */
		assert_int_equal(check_thread_flow(json_array_get(threads, 0), run), check_thread_flow(json_array_get(threads, 1), run));
}

/* ---- results (3.27) --------------------------------------------------------------------------------- */

static void check_rule(const json_t *result, const json_t *run)
{
	const json_t *rules = json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "rules");
	const json_t *rule = json_array_get(rules, (size_t)json_integer_value(json_object_get(result, "ruleIndex")));

	assert_string_equal(string_of(rule, "id"), string_of(result, "ruleId"));
}

/* 3.11.6: [text](n) must name a related location. */
static void check_links(const json_t *result)
{
	const char *text = string_of(json_object_get(result, "message"), "text");
	json_t *item;
	size_t i;

	for (const char *at = text; (at = strstr(at, "](")); at += 2) {
		bool found = false;

		json_array_foreach(json_object_get(result, "relatedLocations"), i, item)
			found |= json_integer_value(json_object_get(item, "id")) == atoi(at + 2);
		if (!found)
			fail_msg("no related location for %s", at);
	}
}

static void check_suppressions(const json_t *result)
{
	const json_t *list = json_object_get(result, "suppressions");
	json_t *item;
	size_t i;

	assert_true(json_is_array(list)); /* 3.27.23: absent would mean that it is not known */
	json_array_foreach((json_t *)list, i, item) {
		only(item, "suppression", "|kind|status|location|guid|justification|properties|");
		assert_true(is_one_of(string_of(item, "kind"), "|inSource|external|"));
		assert_true(is_one_of(string_of(item, "status"), "|accepted|underReview|rejected|"));
		assert_true(*string_of(item, "justification"));
	}
}

static void check_result(const json_t *r, const json_t *run)
{
	const char *kind = string_of(r, "kind"), *level = string_of(r, "level"), *rung;
	json_t *item;
	size_t i;

	only(r, "result", "|ruleId|ruleIndex|rule|kind|level|message|analysisTarget|locations|guid|correlationGuid|occurrenceCount|"
			  "partialFingerprints|fingerprints|stacks|codeFlows|graphs|graphTraversals|relatedLocations|suppressions|"
			  "baselineState|rank|attachments|hostedViewerUri|workItemUris|provenance|fixes|taxa|webRequest|webResponse|properties|");
	check_rule(r, run);
	check_message(json_object_get(r, "message"));
	check_links(r);
	assert_true(is_one_of(kind, "|notApplicable|pass|fail|review|open|informational|"));
	assert_true(is_one_of(level, "|none|note|warning|error|"));
	assert_true(!strcmp(kind, "fail") || !strcmp(level, "none")); /* 3.27.10 */
	rung = json_string_value(json_object_get(json_object_get(r, "properties"), "rung"));
	assert_true(!rung || !strcmp(kind, "fail") == is_one_of(rung, "|confirmed|harmful|"));
	assert_int_equal(strlen(string_of(json_object_get(r, "partialFingerprints"), "deadheatId/v1")), 16);
	json_array_foreach(json_object_get(r, "locations"), i, item)
		check_location(item, run);
	json_array_foreach(json_object_get(r, "relatedLocations"), i, item)
		check_location(item, run);
	json_array_foreach(json_object_get(r, "stacks"), i, item) {
		only(item, "stack", "|message|frames|properties|");
		assert_true(json_array_size(json_object_get(item, "frames")) > 0);
	}
	check_code_flows(r, run);
	check_suppressions(r);
}

static void check_run(const json_t *run)
{
	const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
	size_t i, k, with_baseline = 0, results = json_array_size(json_object_get(run, "results"));
	json_t *item, *other;

	only(run, "run", "|tool|invocations|conversion|versionControlProvenance|originalUriBaseIds|artifacts|logicalLocations|graphs|results|"
			 "automationDetails|runAggregates|baselineGuid|redactionTokens|defaultEncoding|defaultSourceLanguage|"
			 "newlineSequences|columnKind|externalPropertyFileReferences|threadFlowLocations|taxonomies|addresses|translations|"
			 "policies|webRequests|webResponses|specialLocations|language|properties|");
	assert_string_equal(string_of(driver, "name"), "deadheat");
	assert_true(is_one_of(string_of(run, "columnKind"), "|utf16CodeUnits|unicodeCodePoints|"));
	json_array_foreach(json_object_get(driver, "rules"), i, item) {
		only(item, "rule", "|id|name|guid|shortDescription|fullDescription|help|helpUri|defaultConfiguration|relationships|"
				   "messageStrings|properties|deprecatedIds|deprecatedNames|deprecatedGuids|");
		check_message(json_object_get(item, "shortDescription"));
		assert_int_not_equal(strcasecmp(string_of(item, "id"), string_of(item, "name")), 0); /* 3.49.7 */
		json_array_foreach(json_object_get(driver, "rules"), k, other)
			assert_true(i == k || strcmp(string_of(item, "id"), string_of(other, "id")));
	}
	json_array_foreach(json_object_get(run, "invocations"), i, item)
		assert_true(json_is_boolean(json_object_get(item, "executionSuccessful"))); /* 3.20.14: required */
	assert_true(json_is_array(json_object_get(run, "results")));
	json_array_foreach(json_object_get(run, "results"), i, item) {
		const json_t *state = json_object_get(item, "baselineState");

		check_result(item, run);
		assert_true(!state || is_one_of(json_string_value(state), "|new|unchanged|updated|absent|"));
		with_baseline += state != NULL;
	}
	assert_true(!with_baseline || with_baseline == results); /* 3.27.24: all or none */
}

static json_t *load_sarif(struct fixture *f)
{
	char *text = print(f, report_format("sarif"));
	json_error_t e;
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (!document)
		fail_msg("line %d: %s", e.line, e.text);
	free(text);
	only(document, "sarifLog", "|$schema|version|runs|inlineExternalProperties|properties|");
	assert_string_equal(string_of(document, "version"), "2.1.0");
	assert_int_equal(json_array_size(json_object_get(document, "runs")), 1);
	check_run(json_array_get(json_object_get(document, "runs"), 0));
	return document;
}

static json_t *result_of(json_t *document, size_t i)
{
	return json_array_get(json_object_get(json_array_get(json_object_get(document, "runs"), 0), "results"), i);
}

/* ---- the tests ------------------------------------------------------------------------------------------ */

static void an_empty_report_is_a_run_without_results(void **state)
{
	struct fixture *f = *state;
	json_t *document;

	build(f);
	document = load_sarif(f);
	assert_null(result_of(document, 0)); /* and not "results": null, which means that the tool did not run */
	json_decref(document);
}

static void all_findings_keep_the_rules(void **state)
{
	struct fixture *f = *state;
	json_t *document, *invocation;

	put_findings(f->store);
	build(f);
	document = load_sarif(f);
	assert_string_equal(string_of(result_of(document, 0), "ruleId"), "data-race");
	assert_string_equal(string_of(result_of(document, 1), "ruleId"), "unconfirmed-pair");
	assert_string_equal(string_of(result_of(document, 2), "ruleId"), "deadlock");
	assert_string_equal(string_of(result_of(document, 3), "ruleId"), "lock-cycle");
	assert_string_equal(string_of(result_of(document, 4), "ruleId"), "failure");
	assert_null(strstr(string_of(json_object_get(result_of(document, 1), "message"), "text"), "race"));
	assert_int_equal(json_array_size(json_object_get(result_of(document, 0), "relatedLocations")), 2);
	assert_int_equal(json_integer_value(json_object_get(result_of(document, 0), "occurrenceCount")), 9);
	invocation = json_array_get(json_object_get(json_array_get(json_object_get(document, "runs"), 0), "invocations"), 0);
	assert_int_equal(json_array_size(json_object_get(invocation, "toolExecutionNotifications")), 1); /* the lost pairs */
	json_decref(document);
}

static json_int_t order_at(const json_t *result, size_t thread, size_t step)
{
	const json_t *flow = json_array_get(json_object_get(result, "codeFlows"), 0);
	const json_t *steps = json_object_get(json_array_get(json_object_get(flow, "threadFlows"), thread), "locations");

	return json_integer_value(json_object_get(json_array_get(steps, step), "executionOrder"));
}

/* The schedule of the fixture: T0 (b) starts, T1 (a) after it, they meet, b goes first. */
static void the_flows_are_the_schedule(void **state)
{
	struct fixture *f = *state;
	json_t *document, *race;

	put_findings(f->store);
	build(f);
	document = load_sarif(f);
	race = result_of(document, 0);
	assert_string_equal(string_of(json_object_get(json_array_get(json_object_get(json_array_get(json_object_get(race, "codeFlows"), 0),
									"threadFlows"), 0), "message"), "text"), "T1");
	assert_true(order_at(race, 1, 0) < order_at(race, 0, 0)); /* T0 starts first */
	assert_true(order_at(race, 1, 2) < order_at(race, 0, 2)); /* b: read before a: write */
	assert_true(order_at(race, 0, 1) < order_at(race, 1, 2)); /* and both stood there before that */
	json_decref(document);
}

static void suppressed_and_known_ones_say_so(void **state)
{
	struct fixture *f = *state;
	json_t *document, *suppressions;
	const char *known;

	put_findings(f->store);
	build(f);
	f->report.findings.candidates[0].suppressed = "a counter for statistics";
	known = f->report.findings.candidates[0].id;
	report_set_baseline(&f->report, &known, 1);
	document = load_sarif(f);
	assert_string_equal(string_of(result_of(document, 0), "baselineState"), "unchanged");
	assert_string_equal(string_of(result_of(document, 1), "baselineState"), "new");
	suppressions = json_object_get(result_of(document, 0), "suppressions");
	assert_string_equal(string_of(json_array_get(suppressions, 0), "justification"), "a counter for statistics");
	assert_int_equal(json_array_size(json_object_get(result_of(document, 1), "suppressions")), 0);
	json_decref(document);
}

static void gone_ones_are_absent(void **state)
{
	struct fixture *f = *state;
	struct baseline_entry entry = { "00000000deadbeef", "race", "confirmed", "data race: a / b" };
	struct baseline baseline = { &entry, 1 };
	json_t *document, *last;
	size_t count;

	put_findings(f->store);
	build(f);
	report_use_baseline(&f->report, &baseline);
	document = load_sarif(f);
	count = f->report.findings.candidate_count + f->report.findings.deadlock_count + f->report.findings.failure_count;
	last = result_of(document, count);
	assert_string_equal(string_of(last, "baselineState"), "absent");
	assert_string_equal(string_of(last, "ruleId"), "data-race");
	assert_string_equal(string_of(result_of(document, 0), "baselineState"), "new");
	json_decref(document);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_report_is_a_run_without_results), TEST(all_findings_keep_the_rules), TEST(the_flows_are_the_schedule),
		TEST(suppressed_and_known_ones_say_so), TEST(gone_ones_are_absent),
	};

	return cmocka_run_group_tests_name("report_sarif", tests, NULL, unit_clean);
}
