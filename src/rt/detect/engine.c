/*
 * engine - begin and end of the detector, and the accesses libc makes for the program.
 */
#include "rt/detect/internal.h"

/* Calls of libc functions at one place whose sites are kept exactly, as the first visits of others are (access.c). */
#define COLD_VISITS 8u

bool detect_off = true;
bool detect_hb;

void rt_engine_start(void)
{
	if (!rt_wire || !rt_plan)
		return;
	detect_hb = rt_plan->rule == WIRE_RULE_HB;
	if (!shadow_start() || !segments_start() || !sites_start() || !pairs_start()) {
		rt_count(WIRE_LOST_MEMORY);
		rt_note("detect: no address space for the shadow; nothing is watched (raise ulimit -v)");
		return;
	}
	blocks_start();
	sample_start();
	if (!blob_start())
		rt_note("detect: executable memory refused; accesses take the slow way");
	detect_off = false;
}

static void count_losses(struct detect_thread *t, void *data)
{
	(void)data;
	thread_count_losses(t);
}

void rt_engine_end(void)
{
	if (!detect_off)
		threads_each(count_losses, NULL);
}

/* The child has a copy of everything and nobody to tell: it runs on, unheard. */
void rt_on_fork_child(void)
{
	detect_off = true;
	detect_key = key_shown(0);
}

void rt_on_access(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
	struct detect_thread *t = detect_self();
	struct touch x = { .t = t, .address = (uintptr_t)address, .size = size, .flags = flags, .pc = pc,
			   .frame = __builtin_frame_address(0) };

	if (!t || detect_off || rt_paused || t->ignore || !size)
		return;
	x.site = site_of(pc, flags, 0);
	if (!x.site || (sample_kind == WIRE_SAMPLE_LITERACE && sample_skips(t, x.site)))
		return;
	x.watched = site_at(x.site)->watched;
	x.cold = site_at(x.site)->visits < COLD_VISITS;
	site_at(x.site)->visits += x.cold;
	x.record = !sample_paused();
	record_touch(&x);
}
