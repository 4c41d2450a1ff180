#include "promql/values/arithmetic.h"
