@ SPDX-License-Identifier: LGPL-2.1-or-later
@ A 32-bit Arm program: spends a third of its instructions in one function and two thirds in another, then sleeps for
@ two seconds. Linux, EABI: r7 has the number of a call.
	.syntax unified
	.arch armv7-a
	.text
	.global _start
	.type _start, %function
_start:
	ldr r4, =300
1:	bl spend_third
	bl spend_rest
	bl spend_rest
	mov r7, #20		@ getpid
	svc #0
	subs r4, r4, #1
	bne 1b
	adr r0, time
	mov r1, #0
	mov r7, #162		@ nanosleep
	svc #0
	mov r0, #0
	mov r7, #248		@ exit_group
	svc #0
time:	.word 2, 0
	.ltorg
	.size _start, .-_start

	.type spend_third, %function
spend_third:
	ldr r5, =300000
1:	subs r5, r5, #1
	bne 1b
	bx lr
	.ltorg
	.size spend_third, .-spend_third

	.type spend_rest, %function
	.thumb
	.thumb_func
spend_rest:
	ldr r5, =300000
1:	subs r5, r5, #1
	bne 1b
	bx lr
	.ltorg
	.size spend_rest, .-spend_rest
