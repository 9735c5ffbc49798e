/* SPDX-License-Identifier: BSD-3-Clause
 * For sources written for the original EPIK. */
#include "epik/epik.h"
