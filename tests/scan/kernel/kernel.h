/*
 * kernel - as much of a kernel's headers as a driver needs, written for tests/scan/kernel.t: the
 * same shapes as Linux (static inline wrappers around _raw_spin_lock, atomics in inline assembly,
 * tables of operations, work and interrupt handlers), none of its text.
 */
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned long size_t;
typedef long ssize_t;
typedef struct { unsigned value; } raw_spinlock_t;
typedef struct { raw_spinlock_t raw; } spinlock_t;
typedef struct { int counter; } atomic_t;
struct file { void *private_data; };
struct work_struct { void (*func)(struct work_struct *work); struct work_struct *next; };
struct file_operations {
	int (*open)(struct file *file);
	ssize_t (*read)(struct file *file, char *buffer, size_t size);
	ssize_t (*write)(struct file *file, const char *buffer, size_t size);
	long (*unlocked_ioctl)(struct file *file, unsigned command, unsigned long argument);
};
#define __init __attribute__((section(".init.text")))
#define __always_inline inline __attribute__((always_inline))
#define LOCK_PREFIX "lock; "
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

extern void _raw_spin_lock(raw_spinlock_t *lock);
extern void _raw_spin_unlock(raw_spinlock_t *lock);
extern unsigned long _raw_spin_lock_irqsave(raw_spinlock_t *lock);
extern void _raw_spin_unlock_irqrestore(raw_spinlock_t *lock, unsigned long flags);
extern int request_irq(unsigned irq, int (*handler)(int irq, void *device), unsigned long flags, const char *name, void *device);
extern int register_chrdev(unsigned major, const char *name, const struct file_operations *operations);
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);
extern void *kmalloc(size_t size, unsigned flags);
extern void kfree(const void *object);

static __always_inline void spin_lock(spinlock_t *lock) { _raw_spin_lock(&lock->raw); }
static __always_inline void spin_unlock(spinlock_t *lock) { _raw_spin_unlock(&lock->raw); }
#define spin_lock_irqsave(lock, flags) do { flags = _raw_spin_lock_irqsave(&(lock)->raw); } while (0)
static __always_inline void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags)
{
	_raw_spin_unlock_irqrestore(&lock->raw, flags);
}
static __always_inline void atomic_inc(atomic_t *v)
{
	__asm__ volatile(LOCK_PREFIX "incl %0" : "+m"(v->counter) : : "memory");
}
static __always_inline int atomic_read(const atomic_t *v) { return READ_ONCE(v->counter); }
#define INIT_WORK(work, function) ((work)->func = (function))

#endif
