/* What is in an HDF5 file: its groups, tables and attributes as the listing of hdf5.h. Follows
 * hard links only and opens nothing outside of the file. Runs in the child process; see serve.c. */
#include "hdf5/inside.h"

#include <stdlib.h>
#include <string.h>

enum {
  DEPTH = 8,          /* of groups; a group may contain itself */
  OBJECTS = 100000,   /* and attributes, of a file */
  ROW_BYTES = 1 << 16 /* of a table that is read */
};

/* ---- bytes */

void *hdf5_bytes_more(hdf5_bytes *out, size_t length) {
  if (out->failed) return NULL;
  if (length > out->room - out->used) {
    size_t room = out->room > 0 ? out->room : 4096;
    while (room - out->used < length && room < SIZE_MAX / 2) room *= 2;
    void *grown = room - out->used < length ? NULL : realloc(out->bytes, room);
    if (grown == NULL) {
      out->failed = true;
      return NULL;
    }
    out->bytes = grown;
    out->room = room;
  }
  out->used += length;
  return out->bytes + out->used - length;
}

void hdf5_bytes_put(hdf5_bytes *out, const void *bytes, size_t length) {
  void *at = hdf5_bytes_more(out, length);
  if (at != NULL && length > 0) memcpy(at, bytes, length);
}

void hdf5_bytes_number(hdf5_bytes *out, uint64_t number) {
  hdf5_bytes_put(out, &number, sizeof number);
}

void hdf5_bytes_text(hdf5_bytes *out, const char *text) {
  uint32_t length = (uint32_t)strnlen(text, HDF5_TEXT_BYTES);
  hdf5_bytes_put(out, &length, sizeof length);
  hdf5_bytes_put(out, text, length);
}

static void put_byte(hdf5_bytes *out, int byte) {
  hdf5_bytes_put(out, &(unsigned char){(unsigned char)byte}, 1);
}

/* ---- types */

static hid_t integer_in_memory(size_t size, bool is_signed) {
  switch (size) {
  case 1: return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
  case 2: return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
  case 4: return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
  case 8: return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  default: return 0;
  }
}

static void describe_text(hid_t type, hdf5_column *column) {
  column->kind = TDM_HDF5_TEXT;
  column->varies = H5Tis_variable_str(type) > 0;
  column->size = column->varies ? sizeof(char *) : H5Tget_size(type);
  column->type = H5Tcopy(type);
  column->is_same = !column->varies;
}

static void describe_number(hid_t type, hdf5_column *column, H5T_class_t class) {
  size_t size = H5Tget_size(type);
  if (class == H5T_FLOAT) {
    column->kind = TDM_HDF5_REAL;
    column->type = H5Tcopy(size == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
  } else {
    column->is_signed = H5Tget_sign(type) == H5T_SGN_2;
    hid_t own = integer_in_memory(size, column->is_signed);
    if (own == 0) return;
    column->kind = TDM_HDF5_INT;
    column->type = H5Tcopy(own);
  }
  column->size = H5Tget_size(column->type);
  column->is_same = H5Tequal(type, column->type) > 0;
}

static void describe(hid_t type, hdf5_column *column) {
  column->kind = TDM_HDF5_OTHER;
  H5T_class_t class = H5Tget_class(type);
  if (class == H5T_STRING) {
    describe_text(type, column);
  } else if (class == H5T_INTEGER || class == H5T_FLOAT) {
    describe_number(type, column, class);
  } else if (class == H5T_ENUM) {
    hid_t base = H5Tget_super(type);
    /* Libraries store truth values as enums of a byte; libhdf5 converts enums to themselves only.
     */
    if (base >= 0 && H5Tget_class(base) == H5T_INTEGER) {
      describe_number(base, column, H5T_INTEGER);
      if (column->kind == TDM_HDF5_INT && column->is_same) {
        H5Tclose(column->type);
        column->type = H5Tcopy(type);
      } else if (column->kind == TDM_HDF5_INT) {
        H5Tclose(column->type);
        column->kind = TDM_HDF5_OTHER;
      }
    }
    if (base >= 0) H5Tclose(base);
  }
  if (column->kind != TDM_HDF5_OTHER && column->type < 0) column->kind = TDM_HDF5_OTHER;
  if (column->kind == TDM_HDF5_OTHER) column->type = 0;
}

static void add_column(hdf5_row_type *out, hid_t type, const char *name, size_t offset,
                       hdf5_bytes *names) {
  hdf5_column *column = &out->column[out->count++];
  describe(type, column);
  column->offset = offset;
  if (column->varies) out->varies = true;
  if (names == NULL) return;
  put_byte(names, (int)column->kind);
  hdf5_bytes_text(names, name);
}

bool hdf5_row_type_read(hid_t type, hdf5_row_type *out, hdf5_bytes *names) {
  *out = (hdf5_row_type){.row_bytes = H5Tget_size(type),
                         .compound = H5Tget_class(type) == H5T_COMPOUND};
  int members = out->compound ? H5Tget_nmembers(type) : 1;
  if (members <= 0 || out->row_bytes == 0 || out->row_bytes > ROW_BYTES) return false;
  if (members > TDM_HDF5_COLUMNS) members = TDM_HDF5_COLUMNS;
  out->column = calloc((size_t)members, sizeof *out->column);
  if (out->column == NULL) return false;
  if (!out->compound) {
    add_column(out, type, "", 0, names);
    return true;
  }
  for (unsigned i = 0; i < (unsigned)members; i++) {
    hid_t member = H5Tget_member_type(type, i);
    char *name = H5Tget_member_name(type, i);
    size_t offset = H5Tget_member_offset(type, i);
    /* libhdf5 takes a member that lies beyond its row as it is. */
    bool fits = member >= 0 && name != NULL && offset <= out->row_bytes &&
                H5Tget_size(member) <= out->row_bytes - offset;
    if (fits) add_column(out, member, name, offset, names);
    if (name != NULL) H5free_memory(name);
    if (member >= 0) H5Tclose(member);
    if (!fits) return false;
  }
  return true;
}

void hdf5_row_type_free(hdf5_row_type *type) {
  for (uint32_t i = 0; type->column != NULL && i < type->count; i++)
    if (type->column[i].type > 0) H5Tclose(type->column[i].type);
  free(type->column);
  type->column = NULL;
}

static void refuse(hdf5_index *index, const char *path) {
  put_byte(&index->listing, 'X');
  hdf5_bytes_text(&index->listing, path);
}

/* ---- attributes */

typedef struct {
  hdf5_index *index;
  const char *path;
} located;

static void put_value(hdf5_bytes *out, const hdf5_column *column, const unsigned char *value) {
  if (column->kind == TDM_HDF5_REAL) {
    double real;
    float small;
    memcpy(&small, value, sizeof small);
    memcpy(&real, value, sizeof real);
    if (column->size == sizeof small) real = (double)small;
    hdf5_bytes_put(out, &real, sizeof real);
    return;
  }
  uint64_t bits = 0;
  memcpy(&bits, value, column->size);
  unsigned unused = 64 - 8 * (unsigned)column->size;
  bits = column->is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
  hdf5_bytes_number(out, bits);
}

static void put_attribute(const located *owner, const char *name, hid_t attribute,
                          const hdf5_column *column, unsigned char *value) {
  hdf5_bytes *out = &owner->index->listing;
  if (column->varies) hdf5_limit_memory(true);
  herr_t status = H5Aread(attribute, column->type, value);
  if (column->varies) hdf5_limit_memory(false);
  if (status < 0) {
    refuse(owner->index, owner->path);
    return;
  }
  put_byte(out, 'A');
  hdf5_bytes_text(out, owner->path);
  hdf5_bytes_text(out, name);
  put_byte(out, (int)column->kind);
  if (column->kind != TDM_HDF5_TEXT) {
    put_value(out, column, value);
  } else if (column->varies) {
    char *text;
    memcpy(&text, value, sizeof text);
    hdf5_bytes_text(out, text != NULL ? text : "");
    H5free_memory(text);
  } else {
    hdf5_bytes_text(out, (const char *)value); /* NUL-terminated by its buffer */
  }
}

static herr_t list_attribute(hid_t object, const char *name, const H5A_info_t *info,
                             void *context) {
  const located *owner = context;
  (void)info;
  if (++owner->index->objects > OBJECTS) return -1;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return 0;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  hdf5_row_type row;
  if (type >= 0 && hdf5_row_type_read(type, &row, NULL)) {
    unsigned char *value = calloc(1, row.row_bytes + sizeof(double) + 1);
    if (value != NULL && !row.compound && row.column[0].kind != TDM_HDF5_OTHER &&
        H5Sget_simple_extent_npoints(space) == 1)
      put_attribute(owner, name, attribute, &row.column[0], value);
    free(value);
  }
  if (type >= 0) {
    hdf5_row_type_free(&row);
    H5Tclose(type);
  }
  if (space >= 0) H5Sclose(space);
  H5Aclose(attribute);
  return 0;
}

/* ---- objects */

/* Data that lies in other files, whatever their names are. */
static bool lies_elsewhere(hid_t dataset) {
  hid_t properties = H5Dget_create_plist(dataset);
  if (properties < 0) return true;
  H5D_layout_t layout = H5Pget_layout(properties);
  bool elsewhere = H5Pget_external_count(properties) != 0 ||
                   (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED);
  H5Pclose(properties);
  return elsewhere;
}

/* How many rows a table of one dimension has; false where it is none, or where it claims more than
 * its bytes can hold: deflate makes 1032 of one at most. */
static bool count_rows(hid_t dataset, size_t row_bytes, uint64_t *rows) {
  hid_t space = H5Dget_space(dataset);
  hsize_t extent = 0;
  bool plain = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
               H5Sget_simple_extent_dims(space, &extent, NULL) == 1;
  if (space >= 0) H5Sclose(space);
  *rows = extent;
  if (!plain) return false;
  uint64_t stored = H5Dget_storage_size(dataset);
  if (stored > UINT64_MAX / 2048) return false;
  return extent <= (stored * 1040 + (1 << 20)) / row_bytes;
}

static void list_table(hdf5_index *index, hid_t dataset, const char *path) {
  hdf5_row_type row = {0};
  hdf5_bytes names = {0};
  uint64_t rows = 0;
  hid_t type = H5Dget_type(dataset);
  char *own = strdup(path);
  bool good = own != NULL && type >= 0 && !lies_elsewhere(dataset) &&
              hdf5_row_type_read(type, &row, &names) && count_rows(dataset, row.row_bytes, &rows);
  if (good && index->count == index->room) {
    size_t room = index->room > 0 ? 2 * index->room : 64;
    char **grown = realloc(index->tables, room * sizeof *grown);
    if (grown != NULL) {
      index->tables = grown;
      index->room = room;
    }
    good = grown != NULL;
  }
  if (good) {
    index->tables[index->count++] = own;
    put_byte(&index->listing, 'D');
    hdf5_bytes_text(&index->listing, path);
    hdf5_bytes_number(&index->listing, rows);
    hdf5_bytes_number(&index->listing, row.row_bytes);
    hdf5_bytes_number(&index->listing, row.count);
    hdf5_bytes_put(&index->listing, names.bytes, names.used);
    if (names.failed) index->listing.failed = true;
  } else {
    refuse(index, path);
    free(own);
  }
  free(names.bytes);
  hdf5_row_type_free(&row);
  if (type >= 0) H5Tclose(type);
}

typedef struct {
  hdf5_index *index;
  const char *path;
  unsigned depth;
} branch;

static herr_t list_link(hid_t group, const char *name, const H5L_info_t *info, void *context);

static herr_t list_group(hdf5_index *index, hid_t group, const char *path, unsigned depth) {
  branch here = {index, path, depth};
  return H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, list_link, &here);
}

static herr_t list_link(hid_t group, const char *name, const H5L_info_t *info, void *context) {
  const branch *above = context;
  hdf5_index *index = above->index;
  if (++index->objects > OBJECTS) return -1;
  size_t room = strlen(above->path) + strlen(name) + 2;
  char *path = malloc(room);
  if (path == NULL) return -1;
  strcpy(path, above->path);
  strcat(path, "/");
  strcat(path, name);
  herr_t status = 0;
  hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(group, name, H5P_DEFAULT) : -1;
  H5I_type_t kind = object >= 0 ? H5Iget_type(object) : H5I_BADID;
  if (kind == H5I_DATASET) {
    list_table(index, object, path);
  } else if (kind == H5I_GROUP) {
    put_byte(&index->listing, 'G');
    hdf5_bytes_text(&index->listing, path);
    if (above->depth < DEPTH) status = list_group(index, object, path, above->depth + 1);
  } else {
    refuse(index, path);
  }
  located owner = {index, path};
  if (kind == H5I_DATASET || kind == H5I_GROUP)
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, list_attribute, &owner);
  if (object >= 0) H5Oclose(object);
  free(path);
  return index->listing.failed ? -1 : status;
}

const char *hdf5_index_make(hid_t file, hdf5_index *index) {
  hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
  if (root < 0) return "its root group cannot be read";
  herr_t status = list_group(index, root, "", 0);
  H5Gclose(root);
  if (index->objects > OBJECTS) return "it holds more than 100000 groups, tables and attributes";
  if (index->listing.failed) return "out of memory";
  return status < 0 ? "its directory of tables is damaged" : NULL;
}
