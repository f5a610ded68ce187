// Holds an OpenAPI document and its view in OpenAPI 3.0 against what reads them: redocly and spectral,
// and the document against openapi-typescript with the compiler. Every complaint, also a warning, fails it.
import { readFile } from 'node:fs/promises';
import redocly from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

async function lint(file) {
  const config = await redocly.createConfig({ extends: ['recommended'] });
  const found = (await redocly.lint({ ref: file, config })).map((one) => `redocly ${one.ruleId}: ${one.message} ${one.location.map((at) => at.pointer)}`);
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: rulesets.oas });
  const said = await linter.run(await readFile(file, 'utf8'));
  return [...found, ...said.map((one) => `spectral ${one.code}: ${one.message} ${one.path.join('/')}`)].map((text) => `${file}: ${text}`);
}

async function compile(file) {
  const text = astToString(await openapiTS(await readFile(file, 'utf8'), { silent: true }));
  const options = { strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipDefaultLibCheck: true };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...rest) => (name === 'api.ts' ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest) : read(name, ...rest));
  return ts.getPreEmitDiagnostics(ts.createProgram(['api.ts'], options, host)).map((one) => `${file}: TypeScript: ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`);
}

const [document, older] = process.argv.slice(2);
const said = [...(await lint(document)), ...(await lint(older)), ...(await compile(document))];
said.forEach((line) => console.error(`openapi: ${line}`));
process.exitCode = said.length ? 1 : 0;
