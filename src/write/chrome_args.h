/* Rows as Kineto would spell them: categories, and arguments as a JSON object.
 *
 * What is made once a layout: keys quoted and respelt, the grid and the block as arrays. A row on a
 * stream gets its device, context and stream. A simulated one tells its request as scripts count
 * them, from 1, with its class. Owns the plans. Called by the Chrome writer. */
#ifndef TDM_WRITE_CHROME_ARGS_H
#define TDM_WRITE_CHROME_ARGS_H

#include "trace/outfile.h"
#include "write/texts.h"

typedef struct tdm_chrome_item tdm_chrome_item;

typedef struct {
  const tdm_layout *layout;
  tdm_chrome_item *items;
  uint32_t count;
  char *category; /* ,"cat":"…","ph":" of an event; NULL: an id without a layout */
  size_t category_length;
  uint32_t scope; /* column of an instant's scope ("t", "p", "g"), which is no argument; 0: none */
  uint32_t id;    /* column of an async span's id, which is no argument either; 0: none */
  int has_own[3]; /* arguments that say what a stream's would: device, context, stream */
} tdm_chrome_plan;

typedef struct {
  const tdm_recording *recording;
  tdm_texts *texts;
  tdm_chrome_plan *plan; /* by layout */
  uint32_t layouts;
  char **classes; /* of requests, quoted; NULL where one has no name */
  uint32_t class_count;
} tdm_chrome_args;

tdm_status tdm_chrome_args_open(tdm_chrome_args *args, const tdm_recording *recording,
                                tdm_texts *texts, tdm_error *error);
void tdm_chrome_args_close(tdm_chrome_args *args);

/* ,"args":{…}, or nothing when there are none. */
void tdm_chrome_args_put(const tdm_chrome_args *args, tdm_outfile *file, const tdm_rows *rows,
                         size_t row, const tdm_place *place);

#endif
