/*
 * Function pointers kept in fields: two tables of one signature that a registry throws together, a
 * handler that comes as an argument, a table read through a pointer that nobody can follow.
 */
struct device { int lock; int a, b, c, d, e; };
struct a_ops { int (*run)(struct device *device); };
struct b_ops { int (*run)(struct device *device); };
struct hook { long flags; int (*call)(struct device *device); };

void _raw_spin_lock(int *lock);
void _raw_spin_unlock(int *lock);

static int a_run(struct device *device) { return ++device->a; }
static int b_run(struct device *device) { return ++device->b; }
static int c_run(struct device *device) { return ++device->c; }
static int d_run(struct device *device) { return ++device->d; }
static int e_run(struct device *device) { return ++device->e; }

static struct a_ops a_table = { a_run };
static struct b_ops b_table = { b_run };
static const void *registry[2];
static struct hook hooks[2];
static int (*loose[1])(struct device *) = { e_run };
static int (**some)(struct device *);

void keep(void)
{
	registry[0] = &a_table;
	registry[1] = &b_table;
	some = loose;
}

static void set_hook(struct hook *hook, int (*call)(struct device *device))
{
	hook->call = call;
}

void keep_hooks(void)
{
	set_hook(&hooks[0], c_run);
	set_hook(&hooks[1], d_run);
}

int through_a(struct device *device, int i)
{
	const struct a_ops *ops = registry[i];
	int result;

	_raw_spin_lock(&device->lock);
	result = ops->run(device);
	_raw_spin_unlock(&device->lock);
	return result;
}

int through_hook(struct device *device, int i)
{
	return hooks[i].call(device);
}

int through_loose(struct device *device)
{
	return (*some)(device);
}
