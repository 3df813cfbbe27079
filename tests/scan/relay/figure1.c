/*
 * The paper's figure 1, simplified from the Linux driver airo.c as in the text of section 2: what
 * airo_read_stats and airo_thread do, with the locks of pthreads. tests/unit/scan_relay.c holds the
 * summaries the paper prints. airo_thread is an entry of any number of threads.
 */
#include <pthread.h>

struct airo_info {
	pthread_mutex_t lock;
	struct { int ev; } pwr;
	struct { int rx_p; } stats;
};
struct net_device {
	struct airo_info *priv;
};

int vals[8];

void airo_read_stats(struct airo_info *ai)
{
	if (ai->pwr.ev) {                       /* 1: */
		pthread_mutex_unlock(&ai->lock);    /* 2: */
		return;                             /* 3: */
	}
	pthread_mutex_unlock(&ai->lock);        /* 4: */
	ai->stats.rx_p = vals[3];               /* 5: */
}

void airo_thread(struct net_device *d)
{
	struct net_device *dev = d;             /* 6: */
	struct airo_info *ai = dev->priv;       /* 7: */

	pthread_mutex_lock(&ai->lock);          /* 8: */
	airo_read_stats(ai);
}
