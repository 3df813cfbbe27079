# The worked example of the RELAY paper (figure 1): exactly the summaries it prints, and its three conclusions.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cp "$TOP/tests/scan/relay/figure1.c" .

summary() { deadheat scan --quiet --summary "$1" figure1.c; }
cat >read_stats <<'T'
airo_read_stats
  relative lockset: ({}, {ai->lock})
  guarded accesses:
  ai->pwr.ev  ({}, {})  read
  ai->stats.rx_p  ({}, {ai->lock})  write
  vals[0]  ({}, {ai->lock})  read
T
cat >thread <<'T'
airo_thread
  relative lockset: ({}, {d->priv->lock})
  guarded accesses:
  d->priv  ({}, {})  read
  d->priv->pwr.ev  ({d->priv->lock}, {})  read
  d->priv->stats.rx_p  ({}, {d->priv->lock})  write
  vals[0]  ({}, {d->priv->lock})  read
T
summary airo_read_stats >read_stats.got
summary airo_thread >thread.got
check "airo_read_stats: the left table" diff read_stats read_stats.got
check "airo_thread: the right table" diff thread thread.got

# Section 2's conclusions, airo_thread being the entry of many threads.
deadheat scan --quiet --entry airo_thread figure1.c >pairs
check "a race on rx_p may be" grep -q 'rx_p' pairs
check_fails "none on vals: only read" grep -q 'vals' pairs
check_fails "none on pwr.ev: the lock is common" grep -q 'pwr' pairs
done_testing
