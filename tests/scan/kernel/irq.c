/* irq - what runs by itself: the interrupt and the work it queues. */
#include "driver.h"

struct device *device_make(void)
{
	struct device *device = kmalloc(sizeof(*device), 0);

	device->pending = 0;
	device->errors = 0;
	return device;
}

int device_interrupt(int irq, void *data)
{
	struct device *device = data;

	atomic_inc(&device->interrupts);
	if (irq < 0)
		device->errors++;
	spin_lock(&device->lock);
	device->pending++;
	spin_unlock(&device->lock);
	queue_work_on(0, 0, &device->work);
	return 1;
}

void device_work(struct work_struct *work)
{
	struct device *device = (struct device *)((char *)work - __builtin_offsetof(struct device, work));

	device->ready = 1;
}
