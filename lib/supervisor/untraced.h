/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* untraced: threads of followed processes that could not be seized. */
#ifndef PPROFIL_UNTRACED_H
#define PPROFIL_UNTRACED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process;
struct processes;

bool untraced_knows(struct process *process, pid_t tid);
/* Books one that is not known, with the CPU time of its life but for known_ns, ns, which is booked already. 0 or
 * -ENOMEM. */
int untraced_add(struct processes *processes, struct process *process, pid_t tid, uint64_t known_ns);
/* Forgets one, where it is known; or all of a process. */
void untraced_remove(struct processes *processes, struct process *process, pid_t tid);
void untraced_clear(struct processes *processes, struct process *process);
/* Reads what CPU time they have used, and forgets those that have ended. */
void untraced_read(struct processes *processes, struct process *process);

#endif
