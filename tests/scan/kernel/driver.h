/* driver - the device both files share. */
#ifndef DRIVER_H
#define DRIVER_H

#include "kernel.h"

struct device {
	spinlock_t lock;
	int pending;            /* under lock */
	int errors;             /* BAD: the interrupt counts without the lock */
	int ready;              /* BAD: set by the work, read by open, no lock */
	struct work_struct work;
	atomic_t interrupts;    /* atomic */
};
extern struct device *device_make(void);
extern int device_interrupt(int irq, void *data);
extern void device_work(struct work_struct *work);

#endif
