/* LLM servers of the model table. */
#ifndef TDM_BIND_SERVER_H
#define TDM_BIND_SERVER_H

#include "bind/value.h"

/* Adds the server that the value describes; stations and links are there already. */
void tdm_bind_server(tdm_reader *r);

#endif
