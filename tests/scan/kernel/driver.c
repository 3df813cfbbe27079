/* driver - the file operations: one process after another, or several at once. */
#include "driver.h"

static struct device *the_device;

static int driver_open(struct file *file)
{
	file->private_data = the_device;
	return the_device->ready ? 0 : -1; /* races with device_work */
}

static ssize_t driver_read(struct file *file, char *buffer, size_t size)
{
	struct device *device = file->private_data;
	unsigned long flags;
	int pending;

	spin_lock_irqsave(&device->lock, flags);
	pending = device->pending--;
	spin_unlock_irqrestore(&device->lock, flags);
	return pending + atomic_read(&device->interrupts);
}

static long driver_ioctl(struct file *file, unsigned command, unsigned long argument)
{
	struct device *device = file->private_data;
	long errors;

	spin_lock(&device->lock);
	errors = device->errors; /* races with device_interrupt, which does not lock */
	spin_unlock(&device->lock);
	return errors;
}

static const struct file_operations driver_operations = {
	.open = driver_open,
	.read = driver_read,
	.unlocked_ioctl = driver_ioctl,
};

int __init driver_init(void)
{
	the_device = device_make();
	INIT_WORK(&the_device->work, device_work);
	if (request_irq(7, device_interrupt, 0, "driver", the_device))
		return -1;
	return register_chrdev(42, "driver", &driver_operations);
}
