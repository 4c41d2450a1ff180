#include "promql/evaluation/evaluator.h"
