//===- Error.cpp - One message per thread -----------------------------------===//
#include "Support.h"

static std::string &message() {
  thread_local std::string text;
  return text;
}

int trace_rt::fail(std::string text) {
  message() = std::move(text);
  return 1;
}

const char *trace_rt_error(void) { return message().c_str(); }
void trace_rt_set_error(const char *text) { message() = text ? text : ""; }
void trace_rt_error_at(const char *where) { message() = std::string(where) + ": " + message(); }
