#include "promql/text/expression.h"
