// <windows.h> without its macros min and max.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
