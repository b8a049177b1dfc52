/* The door of this room: how long steps of LLM servers take and what they draw, and how such
 * servers schedule, as data. Owns nothing; the headers are in reading order. */
#ifndef TDM_MODEL_LLM_LLM_H
#define TDM_MODEL_LLM_LLM_H

/* What a step is, and what one costs. */
#include "model/llm/batch.h"
#include "model/llm/step.h"
#include "model/llm/power.h"

/* Kinds of step models: coefficients, somebody's function, first principles, measured operators;
 * any of them under a cap on power. */
#include "model/llm/affine.h"
#include "model/llm/callback.h"
#include "model/llm/roofline.h"
#include "model/llm/table.h"
#include "model/llm/capped.h"

/* Servers as data: one replica, which replica takes a request, how many there are. */
#include "model/llm/replica.h"
#include "model/llm/dispatch.h"

#endif
