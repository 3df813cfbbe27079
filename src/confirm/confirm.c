/* confirm - defaults and lifetime, see confirm.h. */
#include "confirm/confirm.h"

#include "confirm/internal.h"

const struct confirm_options confirm_defaults = {
	.trials = 100,
	.jobs = 0,
	.seed = 1,
	.policy = "pair",
	.fill = "random",
	.depth = 3,          /* PCT: most known bugs have depth 3 or less */
	.step_limit = 0,     /* from the length of an undirected schedule, plan.c */
	.wall_ms = 60000,
	.shrink = true,
	.pin = true,
};

void confirm_close(struct confirm_context *context)
{
	pool_close(context);
}
