/*
 * view - typed looks at the records that carry arrays (reader.h). A record is taken apart
 * from front to back; whatever does not fit in what is left makes the view fail.
 */
#include <string.h>

#include "wire/reader.h"

struct rest {
	const char *at;
	size_t left;
};

static const void *take(struct rest *rest, size_t count, size_t size)
{
	const void *part = rest->at;

	if (size && count > rest->left / size)
		return NULL;
	rest->at += count * size;
	rest->left -= count * size;
	return part;
}

static bool take_access(struct rest *rest, struct wire_access_view *view)
{
	view->access = take(rest, 1, sizeof(*view->access));
	if (!view->access)
		return false;
	view->locks = take(rest, view->access->lock_count, sizeof(*view->locks));
	if (!view->locks)
		return false;
	view->stack = take(rest, view->access->stack_count, sizeof(*view->stack));
	return view->stack != NULL;
}

bool wire_view_pair(const struct wire_record *record, struct wire_pair_view *view)
{
	struct rest rest = { (const char *)record, record->size };

	view->pair = take(&rest, 1, sizeof(*view->pair));
	return view->pair && take_access(&rest, &view->access[0]) && take_access(&rest, &view->access[1]);
}

static bool take_wait(struct rest *rest, struct wire_wait_view *view)
{
	view->wait = take(rest, 1, sizeof(*view->wait));
	if (!view->wait)
		return false;
	view->locks = take(rest, view->wait->lock_count, sizeof(*view->locks));
	if (!view->locks)
		return false;
	view->stack = take(rest, view->wait->stack_count, sizeof(*view->stack));
	return view->stack != NULL;
}

bool wire_view_deadlock(const struct wire_record *record, struct arena *arena,
			struct wire_wait_view **waits, size_t *count)
{
	struct rest rest = { (const char *)record, record->size };
	const struct wire_ev_deadlock *head = take(&rest, 1, sizeof(*head));

	if (!head || head->wait_count > rest.left / sizeof(struct wire_wait))
		return false;
	*count = head->wait_count;
	*waits = ARENA_ARRAY(arena, struct wire_wait_view, *count + 1);
	for (size_t i = 0; i < *count; i++)
		if (!take_wait(&rest, &(*waits)[i]))
			return false;
	return true;
}

static const char *text_after(const struct wire_record *record, size_t fixed, uint32_t size)
{
	const char *text = (const char *)record + fixed;

	if (record->size < fixed || size > record->size - fixed || !memchr(text, 0, size))
		return "";
	return text;
}

const char *wire_note_text(const struct wire_record *record)
{
	const struct wire_ev_note *note = (const void *)record;

	if (record->size < sizeof(*note))
		return "";
	return text_after(record, sizeof(*note), note->text_size);
}

const char *wire_module_path(const struct wire_ev_module *module)
{
	if (module->head.size < sizeof(*module))
		return "";
	return text_after(&module->head, sizeof(*module), module->path_size);
}
