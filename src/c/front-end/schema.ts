/** What a trace file keeps of a C program. */
import { z } from 'zod';
import { uninitialisedChecks, volatileKinds } from '../choices.ts';
import { knowledgeSchema } from '../run/knowledge-schema.ts';

const settings = z.strictObject({
  files: z.array(z.string()).min(1),
  defines: z.array(z.string()),
  includeFolders: z.array(z.string()),
  includeFiles: z.array(z.string()),
  quoteFolders: z.array(z.string()).optional(),
  lateFolders: z.array(z.string()).optional(),
  compilerFlags: z.array(z.string()).optional(),
  standard: z.string().optional(),
  clang: z.string().optional(),
  unroll: z.int().min(1).optional(),
  plp: z.boolean().optional(),
  await: z.boolean().optional(),
  nondet: z.strictObject({ least: z.int(), greatest: z.int() }).optional(),
  spuriousWakeups: z.boolean().optional(),
  volatile: z.enum(volatileKinds).optional(),
  checkUninitialised: z.enum(uninitialisedChecks).optional(),
  arguments: z.array(z.string()).optional(),
  stdin: z.string().optional(),
  spuriousCas: z.boolean().optional(),
});

export const traceSchema = z.strictObject({ settings, knowledge: knowledgeSchema.optional() });
