#!/bin/sh
# exclusions.sh - what each exclusion of scan is worth: `bench/scan.sh without` as a part of make bench, so that
# its table stands on the page by itself. CORPUS=0 leaves out the clean half of tests/scan, which takes longer.
cd "$(dirname "$0")/.." || exit 1
exec sh bench/scan.sh without
