// SPDX-License-Identifier: BSD-3-Clause
// gcc's own headers, in the order they need. To be included last: they forbid names that C++ headers use.
#ifndef EPIK_ADAPTERS_COMPILER_AFTER_INLINING_GCC_H_
#define EPIK_ADAPTERS_COMPILER_AFTER_INLINING_GCC_H_

// clang-format off
#include "gcc-plugin.h"
#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "cgraph.h"
#include "context.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "cfgloop.h"
#include "tree-eh.h"
#include "except.h"
#include "stringpool.h"
#include "attribs.h"
#include "fold-const.h"
#include "gimplify.h"
#include "tree-into-ssa.h"
#include "toplev.h"
#include "langhooks.h"
#include "diagnostic-core.h"
// clang-format on

#endif  // EPIK_ADAPTERS_COMPILER_AFTER_INLINING_GCC_H_
