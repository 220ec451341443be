#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# One operator, by number and by time. BACKEND=null takes exactly a microsecond.
set -e
opbench time torch.add 'f32[64,64]' 'f32[64,64]' --number 10000 --backend "${BACKEND:-native}"
opbench time torch.add 'f32[64,64]' 'f32[64,64]' --min-run-time 0.1 --backend "${BACKEND:-native}"
