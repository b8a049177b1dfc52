/* The usual case of read/json, inline. Nothing else includes this. */
#ifndef TDM_READ_JSON_QUICK_H
#define TDM_READ_JSON_QUICK_H

#include "read/json_state.h"

/* Well-formed tokens of an object that lie in the buffer as a whole, which nearly all are, each by
 * one look at its bytes. END: it is something else, and nothing happened. */

static inline tdm_json_token quick_key(tdm_json *json, char *p) {
  char *behind = past_plain(p + 1);
  if (*behind != '"' || behind[1] != ':') return TDM_JSON_END;
  *behind = 0;
  json->text = p + 1;
  json->length = (size_t)(behind - p - 1);
  json->at = behind + 2;
  json->place = AT_VALUE;
  return TDM_JSON_KEY;
}

static inline tdm_json_token quick_string(tdm_json *json, char *p) {
  char *behind = past_plain(p + 1), *next = behind + 1;
  if (*behind != '"') return TDM_JSON_END;
  if (*next == ',') {
    next = past_white(next + 1);
    if (*next != '"') return TDM_JSON_END;
    json->place = AT_ITEM;
  } else if (*next == '}') {
    json->place = AT_NEXT;
  } else {
    return TDM_JSON_END;
  }
  *behind = 0;
  json->text = p + 1;
  json->length = (size_t)(behind - p - 1);
  json->at = next;
  return TDM_JSON_STRING;
}

static inline tdm_json_token quick_number(tdm_json *json, char *p) {
  char *start = p++;
  while ((*p >= '0' && *p <= '9') || *p == '.') p++;
  json->at = p;
  json->place = AT_NEXT;
  if (*p == ',') { /* it need not come back */
    json->at = p + 1;
    json->place = AT_ITEM;
  } else if (*p == '}' || *p == ']' || *p == '\n' || *p == ' ') {
    json->patched = p;
    json->patch = *p;
  } else {
    json->at = start;
    json->place = AT_VALUE;
    return TDM_JSON_END;
  }
  *p = 0;
  json->text = start;
  json->length = (size_t)(p - start);
  return TDM_JSON_NUMBER;
}

static inline tdm_json_token tdm_json_quick(tdm_json *json) {
  char *p = json->at;
  if (json->place == AT_VALUE) {
    if (*p == ' ') p++;
    if (*p == '"') return quick_string(json, p);
    if ((*p >= '0' && *p <= '9') || *p == '-') return quick_number(json, p);
    return TDM_JSON_END;
  }
  if (!in_object(json)) return TDM_JSON_END;
  p = past_white(p);
  if (json->place == AT_NEXT) {
    if (*p == '}') {
      json->at = p + 1;
      return tdm_json_close(json);
    }
    if (*p != ',') return TDM_JSON_END;
    p = past_white(p + 1);
  }
  if (*p != '"' || json->place == AT_COLON) return TDM_JSON_END;
  return quick_key(json, p);
}

#endif
