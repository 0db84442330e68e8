declare const __SIGNALBOX_VERSION__: string

/** Version of the program, put in by the build. */
export const version: string = typeof __SIGNALBOX_VERSION__ === 'string' ? __SIGNALBOX_VERSION__ : 'unbuilt'
